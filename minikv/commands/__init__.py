"""The command line's larger commands, one to a file; `cli.py` puts them together."""
