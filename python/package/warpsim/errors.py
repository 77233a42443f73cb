"""What the package raises. Every exception has its words in `args`, and its facts as fields."""


class WarpsimError(Exception):
    """Something that warpsim refuses."""


class SyntaxError(WarpsimError):
    """PTX that is not understood.

    line: the line of the PTX, from 1; None where it is of no line.
    """

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class CompileError(WarpsimError):
    """CUDA C++ that does not compile, or nothing that compiles it."""


class LaunchError(WarpsimError):
    """A launch that cannot start: its shape, its arguments, its memory."""


class SettingError(WarpsimError, ValueError):
    """A setting that there is not."""


class TimeLimitError(WarpsimError, TimeoutError):
    """The time that was given is over, and the launch has been ended."""


class InternalError(WarpsimError):
    """A mistake of warpsim's own; the program is not to blame."""


_KINDS = {
    "compile": CompileError,
    "launch": LaunchError,
    "setting": SettingError,
    "time": TimeLimitError,
    "internal": InternalError,
}


def of_native(error):
    """The exception for one of the native part: `(kind, message, line)`."""
    kind, message, line = error.args
    if kind == "syntax":
        return SyntaxError(message, line)
    return _KINDS.get(kind, InternalError)(message)
