"""One engine for every registry: built-ins from a table, other packages from entry points.

>>> from causalassay.common.registry import Registry
>>> shapes = Registry("shape", "example.shapes", {"fraction": "fractions:Fraction"})
>>> shapes["fraction"]
<class 'fractions.Fraction'>
>>> shapes["fractoin"]
Traceback (most recent call last):
causalassay.common.registry.UnknownName: there is no shape 'fractoin'; did you mean 'fraction'?
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from causalassay.common.spelling import did_you_mean, same_letters

T = TypeVar("T")

OWN_PACKAGE = "causalassay"
LONGEST_REASON = 200
"""Letters of why an entry cannot be loaded; the rest of a longer reason is cut."""


class UnknownName(KeyError, ValueError):
    """No entry has this name; the message names the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class RegistryEntry(Generic[T]):
    """One entry of a registry.

    Parameters
    ----------
    name : str
    address : str
        ``module:attribute``.
    built_in : bool
        False for an entry of another package.
    value : T, optional
        What is registered; None if it cannot be loaded.
    missing : str
        Why it cannot be loaded, in one line; empty if it can.
    package : str
        The installed package that announced it; "causalassay" for ours.
    """

    name: str
    address: str
    built_in: bool
    value: T | None = None
    missing: str = ""
    package: str = OWN_PACKAGE


class Registry(Mapping[str, T]):
    """Plug-ins of one kind by name; each is imported when it is first asked for.

    Parameters
    ----------
    noun : str
        What one entry is called in messages.
    group : str
        The entry-point group in which other packages announce theirs.
    built_in : mapping
        Name to ``module:attribute``.
    prepare : callable, optional
        Takes the name and the imported object and returns the registered value; raises a
        TypeError where the object breaks the contract.
    elsewhere : mapping
        Name to what to do for it, of well-known ones that are not in any list.
    else_hint : str
        What to do about a name that nothing is near to. Default: the known names.
    more : callable, optional
        Returns other entries like those of `built_in`; asked when a name is first looked for.
        They win over built-ins of the same name.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        noun: str,
        group: str,
        built_in: Mapping[str, str],
        prepare: Callable[[str, Any], T] = lambda _, value: value,
        elsewhere: Mapping[str, str] = MappingProxyType({}),
        else_hint: str = "",
        more: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.noun = noun
        self.group = group
        self.built_in = MappingProxyType(dict(built_in))
        self._prepare = prepare
        self._elsewhere = elsewhere
        self._else_hint = else_hint
        self._more = more
        self._loaded: dict[str, T] = {}

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """Name to ``module:attribute`` of all entries; a name used twice is an error."""
        known = {**self.built_in, **self._more()}
        for point in self._points:
            if point.name in known:
                raise ValueError(
                    f"{self.noun} {point.name!r} is registered twice: {known[point.name]} and "
                    f"{point.value}; rename the entry point of package {_package(point)!r}, "
                    "or uninstall it"
                )
            known[point.name] = point.value
        return MappingProxyType(known)

    @cached_property
    def _points(self) -> tuple[EntryPoint, ...]:
        return tuple(entry_points(group=self.group))

    def package(self, name: str) -> str:
        """Return the installed package that announced an entry; "causalassay" for ours."""
        announced = (_package(point) for point in self._points if point.name == name)
        return next(announced, OWN_PACKAGE)

    def __getitem__(self, name: str) -> T:
        """Return the value of that name, imported if need be."""
        if name not in self.addresses:
            raise UnknownName(f"there is no {self.noun} {name!r}; {self.hint(name)}")
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def hint(self, name: str, also: Collection[str] = ()) -> str:
        """Return what to do about a name that is not known.

        Parameters
        ----------
        name : str
        also : collection of str
            Names that are legal there beside those of the registry.
        """
        for known, what_to_do in self._elsewhere.items():
            if same_letters(name, known):
                return what_to_do
        return did_you_mean(name, sorted({*self.addresses, *also}), self._else_hint or None)

    def _load(self, name: str) -> T:
        try:
            return self._prepare(name, _imported(self.addresses[name]))
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as ending:
            # A module that calls sys.exit must not end the program of whoever lists it.
            raise ImportError(reason_text(ending)) from ending

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an entry of that name, without importing it."""
        return name in self.addresses

    def __iter__(self) -> Iterator[str]:
        return iter(self.addresses)

    def __len__(self) -> int:
        return len(self.addresses)

    def entries(self) -> list[RegistryEntry[T]]:
        """Return every entry, loaded, or with the reason why it cannot be."""
        return [self.entry(name) for name in self]

    def refresh(self) -> None:
        """Forget what was loaded and read the entry points again."""
        for cached in ("addresses", "_points"):
            self.__dict__.pop(cached, None)
        self._loaded.clear()

    def entry(self, name: str) -> RegistryEntry[T]:
        """Return one entry, loaded, or with the reason why it cannot be."""
        known = RegistryEntry[T](
            name, self.addresses[name], name in self.built_in, package=self.package(name)
        )
        try:
            return dataclasses.replace(known, value=self[name])
        except Exception as error:  # one broken package must not hide the others
            return dataclasses.replace(known, missing=reason_text(error))


def reason_text(error: BaseException) -> str:
    r"""Return in one line why an entry cannot be loaded; an ImportError says enough by itself.

    Examples
    --------
    >>> reason_text(ImportError("no module x")), reason_text(ZeroDivisionError("1\n/ 0"))
    ('no module x', 'ZeroDivisionError: 1 / 0')
    """
    try:
        message = str(error)
    except Exception:  # a stranger's class
        message = "its message cannot be shown"
    named = [] if isinstance(error, ImportError) and message else [type(error).__name__]
    text = one_line(": ".join([*named, *filter(None, [message])]))
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def one_line(text: str) -> str:
    r"""Return a stranger's text on one line, without characters that steer a terminal.

    Examples
    --------
    >>> one_line("two\n  lines \x1b[31m")
    'two lines [31m'
    """
    words = " ".join(text.split())
    return "".join(letter for letter in words if letter.isprintable())


def dataclass_with_version(_name: str, value: Any) -> Any:
    """Return a plug-in's class; raise a TypeError unless it is a dataclass with a version.

    Examples
    --------
    >>> dataclass_with_version("mine", dict)
    Traceback (most recent call last):
    TypeError: dict is not a dataclass: write @dataclass(frozen=True)
    """
    name = getattr(value, "__name__", repr(value))
    if not (isinstance(value, type) and dataclasses.is_dataclass(value)):
        raise TypeError(f"{name} is not a dataclass: write @dataclass(frozen=True)")
    check_version(value, name)
    parameters(value)  # a default that cannot be shown would break every list
    return value


def check_version(value: Any, name: str) -> None:
    """Raise a TypeError unless there is a version, which is part of every row's key."""
    version = getattr(value, "version", None)
    if not isinstance(version, int) or isinstance(version, bool):
        raise TypeError(f"{name} has no `version: ClassVar[int] = 1`, part of the key of every row")


def parameters(kind: type[Any]) -> dict[str, str]:
    """Return the fields of a dataclass with their defaults as text.

    Examples
    --------
    >>> from causalassay.graphs.sources import Forest
    >>> parameters(Forest)
    {'n_nodes': 'required', 'n_trees': '1', 'orientation': "'away'"}
    """
    return {field.name: _default_text(field) for field in dataclasses.fields(kind) if field.init}


def parameter_text(fields: Mapping[str, str]) -> str:
    """Return parameters on one line.

    Examples
    --------
    >>> parameter_text({"n_nodes": "required", "n_trees": "1"})
    'n_nodes, n_trees=1'
    """
    return ", ".join(
        name if default == "required" else f"{name}={default}" for name, default in fields.items()
    )


def first_line(value: object) -> str:
    """Return the first line of a docstring.

    Examples
    --------
    >>> first_line(first_line)
    'Return the first line of a docstring.'
    """
    return (inspect.getdoc(value) or "").partition("\n")[0]


def _default_text(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return repr(field.default_factory())
    # A default that is text has quotes, so this word stands for no default.
    return "required" if field.default is dataclasses.MISSING else repr(field.default)


def _package(point: EntryPoint) -> str:
    """Return the package of an entry point; its module's where the metadata name none."""
    return point.module.partition(".")[0] if point.dist is None else point.dist.name


def _imported(address: str) -> Any:
    """Return the object at ``module:attribute``."""
    module, _, path = address.partition(":")
    value = import_module(module)
    for attribute in path.split("."):
        if not hasattr(value, attribute):
            raise ImportError(f"{module!r} has no {path!r}")
        value = getattr(value, attribute)
    return value


# What to install for an optional part. No package index has causalassay, so a line that asks pip
# for one of its extras fails; the packages of an extra, named in its metadata, can be installed.


def install_line(extra: str) -> str:
    """Return the command that installs the packages of an extra into this environment.

    Examples
    --------
    >>> install_line("postgres")
    'pip install "psycopg[binary]>=3.2"'
    """
    try:
        stated = requires("causalassay") or []
    except PackageNotFoundError:  # run from a source folder that nobody installed
        stated = []
    parts = [line.partition(";") for line in stated]
    quoted = (f"extra == '{extra}'", f'extra == "{extra}"')
    packages = [f'"{name.strip()}"' for name, _, when in parts if when.strip() in quoted]
    if not packages:
        return f'pip install -e ".[{extra}]" in the folder with its pyproject.toml'
    return f"pip install {' '.join(packages)}"
