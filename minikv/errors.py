"""The errors that minikv raises for a user's mistake."""


class MinikvError(ValueError):
    """Something that was handed to minikv cannot be used. The message says what was found, what was
    expected, where, and what to do."""


class CheckpointError(MinikvError):
    """A checkpoint that cannot be loaded, and would not compute the right thing if it were."""
