"""`python -m minikv`: the command line."""

from minikv.cli import main

main()
