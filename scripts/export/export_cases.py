"""Exports the cases with the Triton of this interpreter.

Started by export-ttir, which puts the kernels' folder on the module path and
gives Triton an empty cache.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import argparse
import difflib
import importlib
import pathlib
import sys
import time

import torch
import triton

import frontend
import manifest


def release(version):
    return tuple(int(part) for part in version.split(".")[:2])


def modules(kernels):
    for path in sorted(kernels.glob("*.py")):
        if path.stem != "case":
            yield importlib.import_module(path.stem)


def usable(case):
    version = release(triton.__version__)
    if case.since and version < release(case.since):
        return False
    return not case.before or version < release(case.before)


def wanted(case, only):
    return usable(case) and (not only or case.name in only)


def check_names(only, known):
    for name in only:
        if name not in known:
            close = difflib.get_close_matches(name, known) or sorted(known)
            sys.exit(
                f"export-ttir: no case is called {name}; there are " + ", ".join(close)
            )


def collect(kernels, only):
    """All cases of this Triton as (case, is a benchmark)."""
    found = {}
    for module in modules(kernels):
        groups = [(module.cases(), False)]
        if hasattr(module, "bench"):
            groups.append((module.bench(), True))
        for group, bench in groups:
            for case in group:
                if (case.name, bench) in found:
                    raise ValueError(f"two cases are called {case.name}")
                if bench:
                    case.tags = (*case.tags, "bench")
                found[case.name, bench] = (module.__name__, case)
    check_names(only, {name for name, _ in found})
    return [
        (source, case, bench)
        for (_, bench), (source, case) in found.items()
        if wanted(case, only)
    ]


def write(case, bench, out, data, kernels):
    texts, signature = frontend.compile_case(case)
    version = triton.__version__
    folder = out / ("bench" if bench else version)
    folder.mkdir(parents=True, exist_ok=True)
    root = pathlib.Path(triton.__file__).parent
    text = texts["located" if case.locations else "plain"]
    text = manifest.relative_paths(text, kernels, root)
    (folder / f"{case.name}.ttir").write_text(text)
    if case.raw:
        raw = manifest.relative_paths(texts["raw"], kernels, root)
        (folder / f"{case.name}.raw.ttir").write_text(raw)
    entry = manifest.build(case, texts, signature, version, data)
    (folder / f"{case.name}.json").write_text(manifest.dumps(entry))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    # One thread: the same sums in the same order on every machine.
    torch.set_num_threads(1)
    frontend.install()
    data = manifest.Data(args.out / "data", "../data")
    cases = [c for c in collect(args.kernels, args.only) if args.bench or not c[2]]
    failed = 0
    for number, (source, case, bench) in enumerate(cases, 1):
        start = time.perf_counter()
        where = f"{source}.py: {'bench/' if bench else ''}{case.name}"
        try:
            write(case, bench, args.out, data, args.kernels)
            result = f"{time.perf_counter() - start:.2f} s"
        except Exception as error:  # report every broken case, not the first
            failed += 1
            result = f"failed: {type(error).__name__}: {error}"
        print(f"[{number}/{len(cases)}] {where} {result}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
