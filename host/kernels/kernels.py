"""Makes the TTIR of kernels, for `nereid build`, `nereid trace` and operators.

Run as `python3 -c <this> build FOLDER FILE`: FILE defines get_function_table();
or as `python3 -c <this> trace FOLDER PROGRAM ARGUMENT...`: what PROGRAM launches is
recorded. FOLDER receives kernels.json (docs/archive.md, "Lists of kernels") and the
TTIR. As a module it is part of serve.py. Works with Triton 3.6 to 3.9; the TTIR
itself needs no device.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import hashlib
import importlib.util
import json
import pathlib
import runpy
import sys
import traceback
from dataclasses import dataclass, make_dataclass

OLDEST, NEWEST = (3, 6), (3, 9)
TYPES = {
    "fp16": "f16",
    "bf16": "bf16",
    "fp32": "f32",
    "fp64": "f64",
    "fp8e4nv": "f8e4m3fn",
    "fp8e5": "f8e5m2",
    "fp8e4b8": "f8e4m3fnuz",
    "fp8e5b16": "f8e5m2fnuz",
    "fp8e4b15": "f8e4m3b15",
}
INTEGERS = {f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)} | {"i1", "u1"}
# Of kwargs, those that are options of a compiler and not constants.
OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "cluster_dims"}


class Mistake(Exception):
    """What is wrong with an entry of the table, in one sentence."""


def fail(folder, text):
    (folder / "kernels.json").write_text(json.dumps({"error": text}))
    sys.exit(0)


def check_triton(folder):
    try:
        import triton
    except ImportError as error:
        fail(
            folder,
            f"{sys.executable} has no Triton ({error}); install triton 3.6 to 3.9, or set "
            "--python or NEREID_TRITON_PYTHON to a Python that has it",
        )
    release = tuple(int(part) for part in triton.__version__.split(".")[:2])
    if not OLDEST <= release <= NEWEST:
        fail(folder, f"{sys.executable} has Triton {triton.__version__}, expected 3.6 to 3.9")


@dataclass(frozen=True)
class Options:
    """What the frontend and the launcher of any release read."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    debug: bool = False
    sanitize_overflow: bool = False
    arch: str = "any"
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    extern_libs: tuple = ()
    supported_fp8_dtypes: tuple = ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee")
    max_num_imprecise_acc_default: int = 0
    name: str = ""  # keeps Triton from reusing the compilation of another variant

    def hash(self):
        return hashlib.sha256(repr(self).encode()).hexdigest()


def options_for(facts):
    """The Options of a target, whose `facts` have the names of nereid/ext/frontend.h."""
    fp8 = tuple(facts["fp8_types"])
    dot_fp8 = facts.get("dot_fp8_types", fp8)
    values = {
        "supported_fp8_dtypes": tuple(sorted(fp8)),
        "deprecated_fp8_dot_operand_dtypes": tuple(sorted(set(fp8) - set(dot_fp8))),
        "default_dot_input_precision": facts["default_dot_precision"],
        "allowed_dot_input_precisions": tuple(facts["dot_precisions"]),
        "max_num_imprecise_acc_default": facts.get("max_num_imprecise_acc", 0),
    }
    fields = [(name, type(value), value) for name, value in values.items()]
    return make_dataclass("Options", fields, bases=(Options,), frozen=True)


def run_common_passes(mod, rewrites_pointers=False):
    """The `ttir` stage of Triton's own backends, in their order."""
    from triton._C.libtriton import ir, passes

    pm = ir.pass_manager(mod.context)
    pm.enable_debug()
    passes.common.add_inliner(pm)
    if rewrites_pointers:
        if hasattr(passes.ttir, "add_rewrite_tensor_pointer"):  # before 3.8
            passes.ttir.add_rewrite_tensor_pointer(pm)
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer(pm)
    passes.common.add_canonicalizer(pm)
    passes.ttir.add_combine(pm)
    passes.ttir.add_reorder_broadcast(pm)
    passes.common.add_cse(pm)
    passes.common.add_symbol_dce(pm)
    passes.ttir.add_loop_unroll(pm)
    pm.run(mod, "ttir")


def make_backend(compile_ttir, options=Options, smallest_dot=(1, 1, 1)):
    """Makes a backend that ends after the stage `ttir`, and a driver on which nothing
    is launched, the only ones of this process; returns their target.
    `compile_ttir(mod, options)` is that stage, `options` a class like Options."""
    import triton
    from triton.backends import Backend, backends
    from triton.backends.compiler import BaseBackend, GPUTarget
    from triton.backends.driver import DriverBase

    target = GPUTarget("nereid-build", "any", 32)

    class TtirBackend(BaseBackend):
        binary_ext = "none"

        @staticmethod
        def supports_target(wanted):
            return wanted.backend == target.backend

        def hash(self):
            return "nereid-build"

        def parse_options(self, opts):
            known = options.__dataclass_fields__
            return options(**{k: v for k, v in opts.items() if k in known})

        def pack_metadata(self, metadata):
            return ()

        def get_codegen_implementation(self, options):
            return {"min_dot_size": lambda lhs, rhs: smallest_dot}

        def get_module_map(self):
            # Plugins implement the symbols of CUDA's library.
            from triton.language.extra.cuda import libdevice

            return {"triton.language.extra.libdevice": libdevice}

        def load_dialects(self, ctx):
            pass

        def add_stages(self, stages, options, language=None):
            stages["ttir"] = lambda mod, metadata: self.ttir(mod, metadata, options)
            stages["none"] = lambda mod, metadata: b""

        def ttir(self, mod, metadata, options):
            compile_ttir(mod, options)
            metadata["name"] = mod.get_entry_func_name()
            metadata["shared"] = 0
            return mod

    class NoDriver(DriverBase):
        @classmethod
        def is_active(cls):
            return True

        def map_python_to_cpp_type(self, ty):
            raise NotImplementedError("nothing is launched here")

        def get_current_target(self):
            return target

        def get_current_device(self):
            return 0

        def get_current_stream(self, device):
            return 0

        def get_active_torch_device(self):
            import torch

            return torch.device("cpu")

        def get_benchmarker(self):
            raise NotImplementedError("nothing is launched here")

    backends.clear()
    backends["nereid-build"] = Backend(TtirBackend, NoDriver)
    triton.runtime.driver.set_active(NoDriver())
    return target


def argument_type(text):
    """Triton's "*fp32" as the archive's "*f32"."""
    stars = len(text) - len(text.lstrip("*"))
    name = text[stars:]
    if stars and name.startswith("k"):  # a pointer to constants
        name = name[1:]
    if name in TYPES:
        name = TYPES[name]
    elif name not in INTEGERS:
        raise Mistake(f"sig: unknown type '{text}'")
    if name.startswith("f8") and not stars:
        raise Mistake(f"sig: '{text}' cannot be passed by value")
    return "*" * stars + ("i1" if name == "u1" else name)


def literal(text):
    """The constant that an item of a signature is; a Mistake if it is a type."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    raise Mistake(f"sig: '{text}' is neither a type nor a constant")


def read_signature(fn, sig, constants):
    """(name, type, hint) of the arguments, and all constants."""
    items = [item.strip() for item in sig.split(",")] if sig.strip() else []
    rest = [name for name in fn.arg_names if name not in constants]
    if len(items) == len(fn.arg_names) and len(items) != len(rest):
        # As triton.tools.compile spells it: constants are in the signature too.
        rest = list(fn.arg_names)
    if len(items) != len(rest):
        count = f"{len(items)} item" + ("" if len(items) == 1 else "s")
        raise Mistake(f"sig has {count}, expected {len(rest)} for {', '.join(rest)}")
    constants, arguments = dict(constants), []
    for name, item in zip(rest, items):
        kind, _, hint = item.partition(":")
        if kind.lstrip("*").lstrip("k") in TYPES or kind.lstrip("*").lstrip("k") in INTEGERS:
            if hint not in ("", "1", "16"):
                raise Mistake(f"sig: hint '{hint}' of {name}, expected 16 or 1")
            if hint == "1" and kind not in INTEGERS:
                raise Mistake(f"sig: {name} is '{kind}', only an integer can be 1")
            if hint == "16" and not (kind.startswith("*") or kind in INTEGERS):
                raise Mistake(f"sig: {name} is '{kind}', which is not divisible")
            arguments.append((name, kind, hint))
        elif name not in constants:
            constants[name] = literal(item)
    return arguments, constants


def unwrapped(func):
    from triton.runtime.jit import JITFunction

    if not isinstance(func, JITFunction):
        kind = type(func).__name__
        raise Mistake(f"func is of type {kind}, expected a function with @triton.jit alone")
    return func


@dataclass
class Kernel:
    """One kernel of the list. `hints` has the promises of each variant: names of
    arguments that are divisible by 16, "16", or equal to 1, "1"."""

    name: str
    group: str
    function: object
    arguments: list  # (name, type)
    constants: dict
    options: dict
    hints: list
    grid: tuple = ()


def relative(text, path):
    """TTIR whose locations do not depend on where Triton and `path` are."""
    import triton

    root = pathlib.Path(triton.__file__).parent
    for start, name in ((root, "triton/"), (path.resolve().parent, "")):
        text = text.replace(f'"{start}/', f'"{name}')
    return text


def make_ttir(target, fn, signature, constants, attributes, options):
    """Runs the backend's stage `ttir`; `options` have a name of their own for each
    kernel, because Triton does not compile one again."""
    import triton
    from triton.compiler import ASTSource

    fn.create_binder()
    source = ASTSource(fn=fn, constexprs=constants, signature=signature, attrs=attributes)
    return triton.compile(source, target=target, options=options)


def explain(path, name, fn, error):
    """The line of the kernel, where Triton knows it, and the reason."""
    node = getattr(error, "node", None)
    line = getattr(fn, "starting_line_number", 0)
    source = getattr(fn, "raw_src", [])
    # Lines of a node count from `def`, after the decorators.
    before = [i for i, text in enumerate(source) if text.lstrip().startswith("def ")]
    if node is not None and before:
        line += before[0] + node.lineno - 1
    origin = error.__cause__ or error.__context__
    message = str(origin or getattr(error, "error_message", None) or error)
    reason = " ".join(message.split()) or type(error).__name__
    return f"error: {path}:{line}: kernel '{name}': {reason}"


class Table:
    """Compiles kernels and writes them down."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.text = ""
        self.target = make_backend(self.keep)
        self.kernels, self.failures = [], []

    def keep(self, mod, options):
        run_common_passes(mod)
        self.text = str(mod)

    def compile(self, kernel, hints):
        fn = kernel.function
        values = {**kernel.constants, **{n: 1 for n, hint in hints.items() if hint == "1"}}
        signature = dict(kernel.arguments)
        signature = {n: "constexpr" if n in values else signature[n] for n in fn.arg_names}
        attributes = {
            (fn.arg_names.index(n),): [["tt.divisibility", 16]]
            for n, hint in hints.items()
            if hint == "16"
        }
        name = f"{kernel.name} {sorted(hints.items())}"
        make_ttir(self.target, fn, signature, values, attributes, {**kernel.options, "name": name})
        return relative(self.text, self.path)

    def variant(self, kernel, number, hints):
        text = self.compile(kernel, hints)
        file = f"{len(self.kernels)}-{number}.ttir"
        (self.folder / file).write_text(text)
        parameters, conditions = [], []
        for index, (name, _) in enumerate(kernel.arguments):
            hint = hints.get(name, "")
            if hint != "1":
                parameters.append(index)
            if hint:
                condition = {"equals": 1} if hint == "1" else {"divisible_by": 16}
                conditions.append({"argument": index, **condition})
        return {
            "ttir": file,
            "source": f"{self.path}: {kernel.name}",
            "parameters": parameters,
            "conditions": conditions,
        }

    def write(self, kernel):
        """The variants with most promises come first, the general one last."""
        hints = sorted((h for h in kernel.hints if h), key=lambda h: (-len(h), sorted(h.items())))
        listed = {
            "name": kernel.name,
            "group": kernel.group,
            "arguments": [{"name": n, "type": argument_type(k)} for n, k in kernel.arguments],
            "constants": [
                {"name": n, "value": v if isinstance(v, (int, float, str)) else str(v)}
                for n, v in kernel.constants.items()
            ],
            "options": [
                {"name": n, "value": option_text(v)} for n, v in sorted(kernel.options.items())
            ],
            "variants": [self.variant(kernel, i, each) for i, each in enumerate([*hints, {}])],
        }
        if kernel.grid:
            listed["grid"] = list(kernel.grid)
        self.kernels.append(listed)

    def read(self, entry):
        for key in ("name", "func", "sig"):
            if key not in entry:
                raise Mistake(f"no '{key}', expected name, group, func, sig and kwargs")
        fn = unwrapped(entry["func"])
        kwargs = dict(entry.get("kwargs") or {})
        constants = dict(kwargs.pop("constants", {}))
        options = {}
        for key, value in kwargs.items():
            if key in fn.arg_names:
                constants[key] = value
            elif key in OPTIONS:
                options[key] = value
            else:
                raise Mistake(f"kwargs: '{key}' is neither a parameter nor an option")
        names = fn.arg_names
        constants = {names[k] if isinstance(k, int) else k: v for k, v in constants.items()}
        for key in constants:
            if key not in names:
                raise Mistake(f"constants: '{key}' is not a parameter of {fn.__name__}")
        for parameter in fn.params:
            if parameter.is_constexpr and parameter.has_default:
                constants.setdefault(parameter.name, parameter.default)
        arguments, constants = read_signature(fn, entry["sig"], constants)
        hints = {n: hint for n, _, hint in arguments if hint}
        plain = [(n, kind) for n, kind, _ in arguments]
        group = entry.get("group") or ""
        return Kernel(entry["name"], group, fn, plain, constants, options, [hints])

    def try_add(self, entry):
        name, fn = "", None
        try:
            if not isinstance(entry, dict):
                raise Mistake(f"an entry of the table is of type {type(entry).__name__}")
            name, fn = entry.get("name", ""), entry.get("func")
            self.write(self.read(entry))
        except Exception as error:  # one kernel must not keep the others out
            self.fail(name, fn, error)

    def fail(self, name, fn, error):
        if isinstance(error, Mistake):
            text = f"error: {self.path}: kernel '{name}': {error}"
        else:
            text = explain(self.path, name, fn, error)
        self.failures.append({"name": name, "text": text})

    def save(self):
        result = {
            "kernels": self.kernels,
            "failures": self.failures,
            "dependencies": self.dependencies(),
        }
        (self.folder / "kernels.json").write_text(json.dumps(result, indent=1))

    def dependencies(self):
        """This file and the modules beside it, and Triton."""
        import triton

        root = self.path.resolve().parent
        files = {str(self.path)}
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            inside = file and root in pathlib.Path(file).resolve().parents
            if inside and "site-packages" not in file:
                files.add(file)
        return sorted(files | {triton.__file__, triton._C.libtriton.__file__})


def option_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def place_of(path, error):
    """"file.py:3: NameError: ...", the last line of the file on the stack."""
    if isinstance(error, SyntaxError):
        own = error.filename and pathlib.Path(error.filename) == path.resolve()
        return f"{path if own else error.filename}:{error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if pathlib.Path(f.filename) == path.resolve()]
    where = f"{path}:{lines[-1]}" if lines else str(path)
    return f"{where}: {type(error).__name__}: {error}"


def load_table(path, folder):
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
        # The second spelling is that of a file of ONNX Runtime.
        names = [n for n in ("get_function_table", "get_funcion_table") if hasattr(module, n)]
        table = getattr(module, names[0])() if names else None
        if hasattr(table, "__next__"):  # a generator
            table = list(table)
    except (Exception, SystemExit) as error:
        fail(folder, place_of(path, error))
    if not names:
        fail(folder, f"{path}: no get_function_table(), which returns a list of kernels")
    if not isinstance(table, (list, tuple)):
        what = type(table).__name__
        fail(folder, f"{path}: {names[0]}() returned {what}, expected a list of kernels")
    return list(table)


class Recorder:
    """Notes what Triton launches: each function with each set of types, constants
    and options once, and the promises that Triton made about its arguments."""

    def __init__(self):
        self.found, self.failures = {}, {}

    def install(self):
        from triton.runtime.jit import JITFunction

        original = JITFunction.run

        def run(fn, *args, grid, warmup, **kwargs):
            used = [] if callable(grid) else [grid]

            def evaluated(meta):
                used.append(grid(meta))
                return used[-1]

            given = evaluated if callable(grid) else grid
            compiled = original(fn, *args, grid=given, warmup=warmup, **kwargs)
            if compiled is not None:
                self.note(fn, compiled.src, used[-1] if used else (), kwargs)
            return compiled

        JITFunction.run = run

    def note(self, fn, source, grid, kwargs):
        try:
            arguments, constants, hints = self.specialization(fn, source)
        except Mistake as mistake:
            self.failures[fn.__name__] = (fn, mistake)
            return
        options = {k: v for k, v in kwargs.items() if k in OPTIONS and v is not None}
        key = (fn, tuple(arguments), repr(sorted(constants.items())), repr(sorted(options.items())))
        if key not in self.found:
            sizes = tuple(grid) if isinstance(grid, (list, tuple)) else (grid,)
            sizes = tuple(int(size) for size in (*sizes, 1, 1)[:3]) if grid else ()
            self.found[key] = Kernel("", "", fn, arguments, constants, options, [], sizes)
        if hints not in self.found[key].hints:
            self.found[key].hints.append(hints)

    @staticmethod
    def specialization(fn, source):
        arguments, constants, hints = [], {}, {}
        for index, parameter in enumerate(fn.params):
            name, kind = parameter.name, source.signature[parameter.name]
            attributes = dict(source.attrs.get((index,), []))
            if kind == "constexpr":
                value = source.constants.get((index,))
                # Triton makes an integer 1 constant; launches with others follow.
                if not parameter.is_constexpr and value == 1 and value is not True:
                    arguments.append((name, "i32"))
                    hints[name] = "1"
                else:
                    constants[name] = value
                continue
            if not isinstance(kind, str) or argument_type(kind) is None:
                raise Mistake(f"argument '{name}' is of a type that an archive cannot have")
            arguments.append((name, kind))
            if attributes.get("tt.divisibility") == 16:
                hints[name] = "16"
        return arguments, constants, hints

    def kernels(self):
        """With names: those of the functions, and a number where that is not enough."""
        counts = {}
        for kernel in self.found.values():
            name = kernel.function.__name__
            counts[name] = counts.get(name, 0) + 1
            number = counts[name]
            kernel.group = name
            kernel.name = name if number == 1 else f"{name}_{number}"
        return self.found.values()


def trace(folder, program, arguments):
    check_triton(folder)
    recorder = Recorder()
    recorder.install()
    sys.argv = [program, *arguments]
    sys.path.insert(0, str(pathlib.Path(program).resolve().parent))
    code = 0
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    # What was launched is written down even if the program failed in the end.
    table = Table(pathlib.Path(program), folder)
    for kernel in recorder.kernels():
        try:
            table.write(kernel)
        except Exception as error:
            table.fail(kernel.name, kernel.function, error)
    for name, (fn, mistake) in recorder.failures.items():
        table.fail(name, fn, mistake)
    table.save()
    sys.exit(code)


def build(folder, path):
    check_triton(folder)
    table = Table(path, folder)
    for entry in load_table(path, folder):
        table.try_add(entry)
    table.save()


def main():
    mode, folder, program, *arguments = sys.argv[1:]
    if mode == "trace":
        trace(pathlib.Path(folder), program, arguments)
    else:
        build(pathlib.Path(folder), pathlib.Path(program))


if __name__ == "__main__":
    main()
