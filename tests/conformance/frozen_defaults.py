"""The version and the defaults of every built-in plug-in, as they are now.

``python tests/conformance/frozen_defaults.py`` renews the table of them.
"""

from __future__ import annotations

import json
from pathlib import Path

from causalassay.common.registry import parameters
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.registry import ALGORITHMS
from causalassay.graphs.sources import GRAPHS
from causalassay.metrics.registry import METRICS
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.registry import MODELS, model_parameters

TABLE = Path(__file__).with_name("frozen_defaults.json")
RENEW = "python tests/conformance/frozen_defaults.py"

Frozen = dict[str, dict[str, dict]]


def current() -> Frozen:
    """Return kind to name to version and defaults; what cannot be loaded here is left out."""
    return {
        "algorithms": {n: _frozen(v, parameters(v)) for n, v in _loaded(ALGORITHMS)},
        "diagnostics": {n: _frozen(v, {}) for n, v in _loaded(DIAGNOSTICS)},
        "graphs": {n: _frozen(v, parameters(v)) for n, v in _loaded(GRAPHS)},
        "mechanisms": {n: _frozen(v, parameters(v)) for n, v in FAMILIES.items()},
        "metrics": {
            n: _frozen(v, {"better": v.better, "takes": v.takes}) for n, v in _loaded(METRICS)
        },
        "models": {
            n: _frozen(v, model_parameters(*n.split(".")[::-1])) for n, v in _loaded(MODELS)
        },
    }


def breaches(frozen: Frozen, present: Frozen) -> list[str]:
    """Return a sentence for each plug-in that is not as the table has it."""
    sentences = []
    for kind in present:
        for name, plug_in in present[kind].items():
            before = frozen.get(kind, {}).get(name)
            if before != plug_in:
                sentences.append(f"{kind} {name}: {_advice(before, plug_in, name)} `{RENEW}`")
        if kind != "algorithms":  # one whose package is absent here is not loaded
            gone = frozen.get(kind, {}).keys() - present[kind].keys()
            sentences += [f"{kind} {name} is gone: renew the table with `{RENEW}`" for name in gone]
    return sentences


def _advice(before: dict | None, now: dict, name: str) -> str:
    if before is None:
        return "it is new; renew the table with"
    if before["version"] != now["version"]:
        return "its version was raised; renew the table with"
    old, new = before["defaults"], now["defaults"]
    changed = {field for field in old if old[field] != new.get(field)}
    if not changed:
        return "it has new parameters; renew the table with"
    return (
        f"the default of {', '.join(sorted(changed))} changed: raise `version` of {name}, "
        "or restore its default, then renew the table with"
    )


def _loaded(registry):
    return [(e.name, e.value) for e in registry.entries() if e.built_in and not e.missing]


def _frozen(plug_in, defaults: dict[str, str]) -> dict:
    return {"version": getattr(plug_in, "version", 1), "defaults": dict(defaults)}


def main() -> None:
    """Write the table; algorithms that cannot be loaded here stay as they were."""
    frozen = json.loads(TABLE.read_text()) if TABLE.exists() else {"algorithms": {}}
    present = current()
    kept = {n: v for n, v in frozen["algorithms"].items() if n in ALGORITHMS.built_in}
    present["algorithms"] = kept | present["algorithms"]
    TABLE.write_text(_text(present))


def _text(table: Frozen) -> str:
    """Return JSON with one line per plug-in."""
    kinds = [
        f'"{kind}": {{\n'
        + ",\n".join(
            f"{json.dumps(name)}: {json.dumps(plug_ins[name], ensure_ascii=False)}"
            for name in sorted(plug_ins)
        )
        + "\n}"
        for kind, plug_ins in table.items()
    ]
    return "{\n" + ",\n".join(kinds) + "\n}\n"


if __name__ == "__main__":
    main()
