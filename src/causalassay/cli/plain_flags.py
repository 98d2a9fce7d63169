"""Commands whose help shows a flag as it is typed, without the type of a value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command whose flags have no `<bool>` in its help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands whose flags have no `<bool>` in its help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for one in parameters:
        if getattr(one, "is_flag", False):
            one.display_type_rich = _no_type
    return parameters


def _no_type(ctx: Any) -> None:
    """Show nothing where the type of an option's value would be."""
