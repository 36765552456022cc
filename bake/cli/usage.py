"""Report wrong usage in one line, like all other errors, with a suggestion for mistyped names.

The parser's own messages differ between its versions and from the style of bake. This module builds
the line from the parser's error and from the declarations of the commands.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum
from functools import partial
from typing import Any, get_args

import typer
from typer.core import TyperCommand

#: The errors of the parser; typer does not export them.
_errors: Any = sys.modules[typer.BadParameter.__module__]
UsageError: Any = _errors.UsageError

_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)
#: A place that looks like an option: "-1,4" or "-7".
_NEGATIVE = re.compile(r"-\d+(,-?\d+)*$")


class Command(TyperCommand):
    """A command with conventional argument notation and one-line errors for invalid values."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        hints = getattr(self.callback, "__annotations__", {})
        parameters: list[Any] = self.params
        for parameter in parameters:
            kind, *_ = get_args(hints.get(parameter.name)) or (None,)
            parameter.process_value = partial(_process, parameter, kind, parameter.process_value)
            usage = _notation(parameter)
            parameter.get_usage_pieces = partial(_pieces, [usage] if usage else [])
            choices = _expectation(parameter, kind)[1]
            if parameter.param_type_name == "argument" and not choices:
                parameter.display_type = _no_type

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, and add the command to errors about options without a value."""
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class PlacesCommand(Command):
    """A command whose places may begin with a minus, as no option begins with minus and digit."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments in which places with a minus are masked by a leading space."""
        return super().parse_args(ctx, [f" {one}" if _NEGATIVE.match(one) else one for one in args])


def unmask_place(text: str) -> str:
    """Return a place without the mask of :class:`PlacesCommand`."""
    return text[1:] if text[:1] == " " and _NEGATIVE.match(text[1:]) else text


def _pieces(pieces: list[str], context: Any) -> list[str]:
    return pieces


def _no_type(*_: Any, **__: Any) -> str:
    """Return an empty type name, because the help shows arguments by name only."""
    return ""


def _notation(parameter: Any) -> str:
    """Return the notation of an argument or a required option in the usage line."""
    name = parameter.metavar or parameter.name.upper()
    if parameter.param_type_name == "option":
        return f"{parameter.opts[0]} {name}" if parameter.required else ""
    many = "..." if parameter.nargs == -1 else ""
    return f"{name}{many}" if parameter.required else f"[{name}]{many}"


def _process(parameter: Any, kind: Any, process: Any, context: Any, value: Any) -> Any:
    """Convert the value of a parameter; describe valid values in the error for an invalid one."""
    try:
        return process(context, value)
    except _errors.MissingParameter as error:
        error.message = _expectation(parameter, kind)[0] or ""
        raise
    except _errors.BadParameter as error:
        expected, choices = _expectation(parameter, kind)
        if expected is None or not isinstance(value, str):
            raise
        message = f"{value!r} is not a valid value; expected {expected}"
        near = suggest(value, choices)
        raise typer.BadParameter(
            message + (f"; {near}" if near else ""), ctx=error.ctx, param=parameter
        ) from None


def _expectation(parameter: Any, kind: Any) -> tuple[str | None, tuple[str, ...]]:
    """Return a description of a parameter's valid values, and the choices of an enumeration."""
    types = [cls for cls in get_args(kind) or (kind,) if isinstance(cls, type)]
    for cls in types:
        if issubclass(cls, Enum):
            choices = tuple(str(member.value) for member in cls)
            return " or ".join(choices), choices
        if cls in (int, float):
            number = "a whole number" if cls is int else "a number"
            return number + _bounds(parameter), ()
    return None, ()


def _bounds(parameter: Any) -> str:
    numbers = getattr(parameter, "type", None)  # The bounds are stored there before typer 0.27.
    least, most = (
        getattr(parameter, name, getattr(numbers, name, None)) for name in ("min", "max")
    )
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return "" if least is None else f" of at least {least}"


def suggest(word: str, names: Iterable[str]) -> str:
    """Return a question with the name closest to a mistyped word; "" if no name is close."""
    near = get_close_matches(word, list(names), n=1)
    return f"did you mean {near[0]}?" if near else ""


def describe_usage_error(error: Any) -> str:
    """Return the message of a parser error in one line, without "error: ".

    Args:
        error: a UsageError.
    """
    message = _describe(error)
    if message.endswith("?"):
        return message
    return f"{message}; see `{'bake' if error.ctx is None else error.ctx.command_path} -h`"


def _describe(error: Any) -> str:
    message: str = error.message
    parameter = getattr(error, "param", None)
    if isinstance(error, _errors.NoSuchOption):
        known = (
            []
            if error.ctx is None
            else [
                name
                for option in error.ctx.command.get_params(error.ctx)
                for name in (*option.opts, *option.secondary_opts)
                if name.startswith("-")
            ]
        )
        near = suggest(error.option_name, known)
        return f"no such option {error.option_name}" + (f"; {near}" if near else "")
    if isinstance(error, _errors.MissingParameter) and parameter is not None:
        missing = f"{_label(parameter)} is missing"
        return f"{missing}; expected {message}" if message else missing
    if isinstance(error, _errors.BadParameter) and parameter is not None:
        return f"{_label(parameter)}: {message}"
    if extra := _EXTRA.fullmatch(message):
        return f"unexpected argument {extra[1]!r}"
    message = message.rstrip(".")
    # The parser begins with a capital letter, unlike the errors of bake.
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _label(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())
