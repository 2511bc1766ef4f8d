"""Makes the TTIR of an operator's kernels, in a worker (docs/workers.md).

The request is {"folder", "file", "function", "sources", "arguments", "constants",
"facts"}: `sources` is the digest of the folder's Python files, an argument is
{"name", "type", "hint"} or {"name", "items": [{"type", "hint"}]}, a tuple, and facts
are those of nereid/ext/frontend.h. The answer has the blob `ttir` and the arguments
that the kernel takes, [[name, item]] in order.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import difflib
import importlib.util
import os
import pathlib
import re
import sys

import nereid_kernels
import nereid_worker
from nereid_worker import Refusal


def check_triton():
    try:
        import triton
        import triton._C.libtriton
    except ImportError as error:
        raise Refusal(
            "unavailable",
            f"'{sys.executable}' has no Triton ({error}); install triton 3.6 to 3.9, or set "
            "NEREID_TRITON_PYTHON to a Python that has it",
        ) from error
    release = tuple(int(part) for part in re.findall(r"\d+", triton.__version__)[:2])
    if not nereid_kernels.OLDEST <= release <= nereid_kernels.NEWEST:
        raise Refusal(
            "incompatible",
            f"'{sys.executable}' has Triton {triton.__version__}, expected 3.6 to 3.9",
        )
    return triton


def nearest(name, names):
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


class Server:
    def __init__(self):
        self.triton = check_triton()
        self.facts, self.target, self.text = None, None, ""
        self.folder, self.sources, self.modules = None, None, {}
        self.count = 0

    def use(self, facts):
        if facts != self.facts:
            known = with_defaults(facts)
            self.target = nereid_kernels.make_backend(
                self.keep, nereid_kernels.options_for(known), tuple(known["min_dot_size"])
            )
            self.facts = facts

    def keep(self, mod, options):
        nereid_kernels.run_common_passes(mod)
        self.text = str(mod)

    def module(self, folder, file, sources):
        """The module of `file`; modules of a folder whose files changed, or of another
        folder, are forgotten, because their names may be the same."""
        if (folder, sources) != (self.folder, self.sources):
            for name, module in list(sys.modules.items()):
                origin = getattr(module, "__file__", None) or ""
                if self.folder and os.path.dirname(origin) == self.folder:
                    del sys.modules[name]
            if self.folder in sys.path:
                sys.path.remove(self.folder)
            sys.path.insert(0, folder)
            self.folder, self.sources, self.modules = folder, sources, {}
        if file not in self.modules:
            path = pathlib.Path(folder, file)
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            try:
                spec.loader.exec_module(module)
            except (Exception, SystemExit) as error:
                raise Refusal("invalid-argument", nereid_kernels.place_of(path, error)) from error
            self.modules[file] = module
        return self.modules[file]

    def function(self, request):
        from triton.runtime.jit import JITFunction

        path = os.path.join(request["folder"], request["file"])
        module = self.module(request["folder"], request["file"], request["sources"])
        kernels = [n for n, v in vars(module).items() if isinstance(v, JITFunction)]
        name = request["function"]
        if name not in kernels:
            found = getattr(module, name, None)
            what = "has no kernel" if found is None else "has no function with @triton.jit alone"
            raise Refusal("not-found", f"{path}: {what} '{name}'{nearest(name, kernels)}")
        return path, getattr(module, name)

    def ttir(self, request):
        path, fn = self.function(request)
        given = {argument["name"]: argument for argument in request["arguments"]}
        constants = {n: as_constant(v) for n, v in request["constants"].items()}
        where = f"{path}: kernel '{fn.__name__}'"
        for name in [*given, *constants]:
            if name not in fn.arg_names:
                raise Refusal(
                    "invalid-argument",
                    f"{where} has no parameter '{name}'{nearest(name, fn.arg_names)}",
                )
        signature, attributes, order = {}, {}, []
        for index, parameter in enumerate(fn.params):
            name = parameter.name
            if name in constants:
                signature[name] = "constexpr"
                continue
            if name not in given:
                if not parameter.has_default:
                    raise Refusal(
                        "invalid-argument",
                        f"{where} has the parameter '{name}', which is neither an argument "
                        "nor a constant",
                    )
                signature[name], constants[name] = "constexpr", parameter.default
                continue
            argument = given[name]
            items = argument.get("items", [argument])
            kinds = []
            for number, item in enumerate(items):
                place = (index, number) if "items" in argument else (index,)
                if item["hint"] == "1":
                    kinds.append("constexpr")
                    constants[place if "items" in argument else name] = 1
                    continue
                kinds.append(item["type"])
                order.append([name, number])
                if item["hint"] == "16":
                    attributes[place] = [["tt.divisibility", 16]]
            signature[name] = tuple(kinds) if "items" in argument else kinds[0]
        self.count += 1
        options = {"name": f"{self.count}"}
        try:
            nereid_kernels.make_ttir(self.target, fn, signature, constants, attributes, options)
        except Exception as error:
            text = nereid_kernels.explain(path, fn.__name__, fn, error)
            raise Refusal("invalid-argument", text.removeprefix("error: ")) from error
        return nereid_kernels.relative(self.text, pathlib.Path(path)), order

    def answer(self, request, blobs, event):
        self.use(request["facts"])
        text, order = self.ttir(request)
        library = self.triton._C.libtriton.__file__
        facts = os.stat(library)
        return {
            "arguments": order,
            "triton": self.triton.__version__,
            "library": [library, facts.st_size, facts.st_mtime_ns],
        }, {"ttir": text.encode()}


def with_defaults(facts):
    """What a target does not declare is what every one supports."""
    precisions = facts.get("dot_precisions", ["ieee"])
    return {
        "fp8_types": [],
        "dot_precisions": precisions,
        "default_dot_precision": "ieee" if "ieee" in precisions else precisions[0],
        "min_dot_size": [16, 16, 16],
        **facts,
    }


def as_constant(value):
    return tuple(map(as_constant, value)) if isinstance(value, list) else value


def main():
    os.environ["TRITON_CACHE_DIR"] = os.path.join(os.environ["TMPDIR"], "cache")
    os.environ.pop("TRITON_INTERPRET", None)
    os.environ["NEREID_DISPATCH"] = "0"
    try:
        answer = Server().answer
    except Refusal as refusal:
        # To every request.
        error = nereid_worker.error_of(refusal)

        def answer(request, blobs, event):
            return {"error": error}, {}

    nereid_worker.serve({"worker": "nereid-kernels"}, answer)


main()
