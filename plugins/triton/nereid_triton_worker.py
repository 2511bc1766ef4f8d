# nereid_triton_worker.py - compiles with an installed Triton for the plugin
# beside it. docs/triton.md describes its requests.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: nereid_triton_worker.py [MODULE:CLASS [FOLDER...]]

Without arguments it serves Triton's own backends; with them, the class CLASS,
a triton.backends.compiler.BaseBackend, which is imported from MODULE with the
folders in front of sys.path.
"""

import ast
import ctypes
import dataclasses
import hashlib
import importlib
import inspect
import json
import os
import re
import sys

import nereid_worker
from nereid_worker import Refusal

# ---------------------------------------------------------------- releases
OLDEST, NEWEST = (3, 6), (3, 9)

# Triton warns with every process that this will change; the option of Nereid
# says what is meant.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")


def import_triton():
    try:
        import triton
        import triton._C.libtriton
    except ImportError as error:
        raise Refusal("unavailable", f"'{sys.executable}' cannot import "
                      f"Triton: {error}") from error
    version = tuple(int(part) for part in
                    re.findall(r"\d+", triton.__version__)[:2])
    if not OLDEST <= version <= NEWEST:
        raise Refusal("incompatible", f"'{sys.executable}' has Triton "
                      f"{triton.__version__}, expected 3.6 to 3.9")
    return triton


def key_of(backend, files):
    """The digest of Triton's compiler, and of what else the backend uses."""
    from triton.runtime import cache
    digest = hashlib.sha256(f"{cache.triton_key()}\n{backend.hash()}".encode())
    for path in files:
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def tools_of(target):
    """Programs outside Triton's folder that it was told to use."""
    from triton import knobs
    tools = [knobs.nvidia.ptxas, knobs.nvidia.ptxas_blackwell] \
        if target.backend == "cuda" else []
    return [os.path.abspath(tool.path) for tool in tools]


def flags_after_strides(kernel, arguments):
    """How many i1 follow the strides of each rewritten descriptor: 3.6 has one
    for the padding, later releases one for rounding to TF32 as well."""
    ranks = [a["rank"] for a in arguments if a["rank"]]
    plain = len(arguments) - len(ranks)
    return (len(kernel) - plain - sum(1 + 2 * r for r in ranks)) // len(ranks)


# ---------------------------------------------------------------- targets
def target_of(request):
    from triton.backends.compiler import GPUTarget
    backend, arch = request["backend"], request["arch"]
    warp_size = request.get("warp_size", 0)
    if backend == "cuda":
        match = re.fullmatch(r"(?:sm_?)?(\d+)[af]?", arch)
        if not match:
            raise Refusal("invalid-argument", f"'{arch}' is not an "
                          "architecture of cuda, expected one like sm_90a")
        arch = int(match.group(1))
    elif backend == "hip" and not re.fullmatch(r"gfx[0-9a-f]+(-strict)?", arch):
        raise Refusal("invalid-argument", f"'{arch}' is not an architecture "
                      "of hip, expected one like gfx942")
    if not warp_size:
        # gfx10 and later have warps of 32 threads.
        old = backend == "hip" and int(arch[3:-2] or 0) < 10
        warp_size = 64 if old else 32
    return GPUTarget(backend, arch, warp_size)


class Backends:
    """The classes that may compile: those of Triton, or one that was named."""

    def __init__(self, name=None, folders=()):
        self.only = None
        if name:
            sys.path[:0] = folders
            module, _, attribute = name.partition(":")
            try:
                self.only = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError) as error:
                raise Refusal("unavailable", f"'{name}' cannot be imported: "
                              f"{error}") from error

    def find(self, target):
        if self.only:
            classes = [self.only] if self.only.supports_target(target) else []
        else:
            from triton.backends import backends
            classes = [entry.compiler for entry in backends.values()
                       if entry.compiler.supports_target(target)]
        if not classes:
            raise Refusal("unimplemented", "no backend of this Triton supports "
                          f"target {target.backend}:{target.arch}")
        return classes[0](target)

    def files(self):
        """The modules beside that of a class of one's own."""
        if not self.only:
            return []
        folder = os.path.dirname(os.path.abspath(
            sys.modules[self.only.__module__].__file__))
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                      if name.endswith(".py"))


# ---------------------------------------------------------------- options
# What only Triton's frontend reads, names files, or follows from the target.
HIDDEN = {"arch", "backend_name", "warp_size", "extern_libs", "ir_override",
          "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes",
          "default_dot_input_precision", "allowed_dot_input_precisions",
          "max_num_imprecise_acc_default", "sanitize_overflow", "base_arch"}

DOCS = {
    "num_warps": "warps of a program, a power of 2",
    "num_ctas": "thread blocks of a program, which form a cluster",
    "num_stages": "stages of software pipelines",
    "maxnreg": "most registers of a thread",
    "ptx_version": "version of the PTX that is made, 87 for 8.7",
    "ptx_options": "further options of ptxas, separated by blanks",
    "enable_fp_fusion": "contract products and sums to one rounding",
    "launch_cooperative_grid": "all programs run at the same time",
    "launch_pdl": "programmatic dependent launch",
    "debug": "keep assertions",
    "instrumentation_mode": "instrumentation to add",
    "waves_per_eu": "waves that each execution unit should hold",
    "image": "the last stage: what is loaded",
}


def comments_of(cls):
    """Field -> the comment above it in the source of `cls`."""
    try:
        lines = inspect.getsource(cls).splitlines()
    except (OSError, TypeError):
        return {}
    found, pending = {}, []
    for line in lines:
        text = line.strip()
        field = re.match(r"(\w+)\s*:", text)
        if text.startswith("#"):
            pending.append(text.lstrip("# "))
        elif field:
            comment = text.partition("#")[2].strip()
            found[field.group(1)] = " ".join(pending) or comment
            pending = []
        elif text:
            pending = []
    return {name: text for name, text in found.items() if text}


def schema_of(options):
    """The options that a caller may set: [{name, type, default, doc}].

    An option that is unset by default has 0 or "" here, which also unsets it.
    """
    cls, comments, schema = type(options), comments_of(type(options)), []
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else []
    for field in fields:
        if field.name in HIDDEN or field.name.startswith("_"):
            continue
        value = getattr(options, field.name)
        annotation = str(field.type) if not isinstance(field.type, type) \
            else field.type.__name__
        if not isinstance(value, (bool, int, float, str)):
            value = field.default
        if value is None and "int" in annotation:
            value = 0
        elif value is None and "str" in annotation:
            value = ""
        kinds = {bool: "bool", int: "i64", float: "f64", str: "string"}
        if type(value) not in kinds:
            continue
        doc = DOCS.get(field.name) or comments.get(field.name) \
            or f"{cls.__name__}.{field.name} of Triton"
        unset = field.default is None
        schema.append({
            "name": field.name, "type": kinds[type(value)],
            "default": str(value).lower() if type(value) is bool
            else str(value),
            "doc": doc + ("; unset by default" if unset else ""),
            "unset": unset})
    return schema


def options_of(backend, given):
    """Triton's options object of the values that the plugin sends."""
    try:
        unset = {option["name"] for option in schema_of(
            backend.parse_options({})) if option["unset"]}
        return backend.parse_options({
            name: value for name, value in given.items()
            if name != "image" and not (name in unset and not value)})
    except (AssertionError, ValueError, TypeError, KeyError) as error:
        raise Refusal("invalid-argument", str(error).strip()
                      or f"the options are refused: {error!r}") from error


# ---------------------------------------------------------------- frontends
def frontend_facts(backend, options):
    """What nereid/ext/frontend.h asks for."""
    from triton import language as tl
    fp8 = list(getattr(options, "supported_fp8_dtypes", ()))
    deprecated = getattr(options, "deprecated_fp8_dot_operand_dtypes", ())
    facts = {
        "fp8_types": fp8,
        "dot_fp8_types": [name for name in fp8 if name not in deprecated],
        "dot_precisions": list(getattr(
            options, "allowed_dot_input_precisions", ("ieee",))),
        "default_dot_precision": getattr(
            options, "default_dot_input_precision", "ieee"),
        "max_num_imprecise_acc": int(getattr(
            options, "max_num_imprecise_acc_default", 0) or 0),
    }
    smallest = backend.get_codegen_implementation(options).get("min_dot_size")
    if smallest:
        facts["min_dot_size"] = list(smallest(tl.float16, tl.float16))
    return facts


TYPES = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64",
         "int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
         "uint64": "u64"}


def functions_of(backend):
    """[[name, symbol, result, operands]]: the external functions that libdevice
    of this backend calls, as its source has them."""
    module = backend.get_module_map().get("triton.language.extra.libdevice")
    if not module:
        return []
    found = []
    for function in ast.parse(inspect.getsource(module)).body:
        for call in ast.walk(function):
            if not (isinstance(call, ast.Call) and isinstance(
                    call.func, ast.Attribute)
                    and call.func.attr == "extern_elementwise"
                    and len(call.args) > 3
                    and isinstance(call.args[3], ast.Dict)):
                continue
            for operands, result in zip(call.args[3].keys, call.args[3].values):
                # core.dtype("fp32") -> "fp32"
                names = [node.value for part in (operands, result)
                         for node in ast.walk(part)
                         if isinstance(node, ast.Constant)]
                count = len(operands.elts)
                types = [TYPES.get(name) for name in
                         names[:count] + names[count + 1:]]
                if None not in types:
                    found.append([function.name, names[count], types[-1],
                                  types[:-1]])
    return found


# ---------------------------------------------------------------- stages
COMMENT = {"ttir": "//", "ttgir": "//", "llir": ";", "ptx": "//",
           "amdgcn": ";"}
MARK = "nereid.metadata "
IMAGES = {"ptx", "cubin", "hsaco"}


def stages_of(backend, options):
    from triton.backends.compiler import Language
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    return stages


def split_record(kind, data):
    """(the bytes without the line, what it says): stages after TTIR end with a
    comment that has what later ones need and the text itself does not say."""
    start = f"\n{COMMENT.get(kind, '//')} {MARK}".encode()
    at = data.rfind(start)
    if at < 0:
        return data, None
    line, _, rest = data[at + len(start):].partition(b"\n")
    try:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise ValueError("it is not an object")
        if kind not in COMMENT:
            return data[:at], record  # as it was, with or without a line end
        return data[:at + 1] + rest, record
    except ValueError as error:
        raise Refusal("invalid-argument", f"the line '{start.decode().strip()}'"
                      f" at the end of the {kind} is damaged: {error}"
                      ) from error


def with_record(kind, data, record):
    is_whole = data.endswith(b"\n") and kind in COMMENT
    text = json.dumps(record, sort_keys=True, default=str)
    return data + (b"" if is_whole else b"\n") + \
        f"{COMMENT.get(kind, '//')} {MARK}{text}\n".encode()


def usual_form(kind):
    """What Triton's stages of that kind return; a class of one's own may have
    kinds of its own, whose record says it."""
    if kind in ("ttir", "ttgir"):
        return "module"
    return "text" if kind in COMMENT else "bytes"


def form_of(output, stage):
    if isinstance(output, (bytes, bytearray)):
        return "bytes"
    if isinstance(output, str):
        return "text"
    if hasattr(output, "get_entry_func_name"):
        return "module"
    raise Refusal("unimplemented", f"stage '{stage}' returns a "
                  f"{type(output).__name__}, expected str, bytes or a module: "
                  "the next stage may run in another process")


def parse_module(backend, kind, data):
    from triton._C.libtriton import ir
    # Relative, and always the same: the name is in the locations of operations
    # that have none, and the image must not depend on where it was compiled.
    path = f"input.{kind}"
    with open(path, "wb") as file:
        file.write(data)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    try:
        module = ir.parse_mlir_module(path, context)
    except RuntimeError as error:
        raise Refusal("invalid-argument",
                      f"it is not {kind} of this Triton") from error
    finally:
        os.unlink(path)
    module.context = context
    return module


def signature_of(module):
    """(name, types) of the kernel."""
    name = module.get_entry_func_name()
    if not name:
        raise Refusal("invalid-argument", "it has no public function")
    return name, module.get_function_signature(module.get_function(name))


def names_of(module, kernel, count):
    """The names of its arguments, as far as the source is known."""
    text = str(module)
    at = text.find(f"@{kernel}(")
    names, depth, quoted = [], 0, False
    for position in range(text.find("(", at), len(text)):
        letter = text[position]
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
            if depth == 0:
                break
        elif letter == "%" and depth == 1:
            names.append(re.match(r"[\w.$-]+", text[position + 1:]).group())
    if len(names) != count:
        return [f"arg{i}" for i in range(count)]
    return names


def refuse_im2col(argument):
    """Only Gluon makes these descriptors (Triton 3.8 and later), and no frontend of
    Nereid's passes them."""
    raise Refusal("unimplemented", f"argument '{argument}' is a tensor descriptor "
                  "in im2col mode, expected one in tiled mode")


def arguments_of(module):
    """[{name, type, rank}] as the source has them; the rank of a tensor
    descriptor, else 0."""
    kernel, types = signature_of(module)
    result = []
    for name, type_ in zip(names_of(module, kernel, len(types)), types):
        rank = 0
        if "tensordesc" in type_:
            if "im2col" in type_:
                refuse_im2col(name)
            match = re.search(r"tensordesc<(?:tensor<)?((?:\d+x)+)(\w+)", type_)
            if not match:
                raise Refusal("unimplemented", f"argument '{name}' has type "
                              f"{type_}, which Nereid cannot pass")
            rank, type_ = match.group(1).count("x"), "*" + match.group(2)
        result.append({"name": name, "type": type_, "rank": rank})
    return result


def parameters_of(arguments, kernel):
    """Where each parameter of the kernel comes from (docs/cuda.md).

    `arguments` are those of the source, `kernel` the types after the stage that
    may have rewritten descriptors.
    """
    if not any(a["rank"] for a in arguments):
        return None
    has_maps = any("tensordesc" in type_ for type_ in kernel)
    flags = 0 if has_maps else flags_after_strides(kernel, arguments)
    result, at, maps = [], 0, 0
    for argument in arguments:
        rank = argument["rank"]
        if not rank:
            result.append(at)
            at += 1
            continue
        if has_maps:
            maps += 1
            result.append(-maps)
        else:
            result += range(at, at + 1 + 2 * rank + flags)
        at += 3 + 2 * rank
    return result


# The driver's numbers of these types differ from those of device code.
TENSOR_MAP_TYPES = {8: 10, 9: 8, 10: 9}


def tensor_maps_of(arguments, metas):
    """The records of `tensor_maps`."""
    metas, numbers, at = list(metas), [], 0
    for argument in arguments:
        rank = argument["rank"]
        if rank:
            meta = metas.pop(0)
            if meta.get("is_im2col"):
                refuse_im2col(argument["name"])
            sizes = list(meta["block_size"])
            numbers += [at, len(sizes), meta["swizzle"],
                        TENSOR_MAP_TYPES.get(meta["elem_type"],
                                             meta["elem_type"]),
                        1 if meta["fp4_padded"] else 0, *sizes]
            at += 3 + 2 * rank
        else:
            at += 1
    return numbers


SIZES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2,
         "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


def layout_of(arguments):
    """The block of a launch: names, types, offsets and its size."""
    names, types = [], []
    for argument in arguments:
        name, rank = argument["name"], argument["rank"]
        names.append(name)
        types.append(argument["type"])
        if rank:
            names += [f"{name}.size.{i}" for i in range(rank)]
            names += [f"{name}.stride.{i}" for i in range(rank)]
            names += [f"{name}.nan", f"{name}.tf32"]
            types += ["i64"] * (2 * rank) + ["i1", "i1"]
    offsets, end = [], 0
    for name, type_ in zip(names, types):
        size = 8 if type_.startswith("*") else SIZES.get(type_)
        if not size:
            raise Refusal("unimplemented", f"argument '{name}' has type "
                          f"{type_}, which Nereid cannot pass")
        end = (end + size - 1) // size * size
        offsets.append(end)
        end += size
    return names, types, offsets, (end + 7) // 8 * 8


def round_up(size, alignment):
    return (size + alignment - 1) // alignment * alignment


def values_of(record, options):
    """The metadata of an image, as docs/cuda.md lists it: name -> [type, value].
    """
    facts = {**vars(options), **record["triton"]}
    if not facts.get("name"):
        raise Refusal("internal", "no stage sets metadata['name'], the name of "
                      "the kernel in the image")
    num_ctas = facts.get("num_ctas") or 1
    alignment = max(64, facts.get("global_scratch_align") or 1,
                    facts.get("profile_scratch_align") or 1)
    profile = round_up(num_ctas * (facts.get("profile_scratch_size") or 0),
                       alignment)
    scratch = profile + round_up(
        num_ctas * (facts.get("global_scratch_size") or 0), alignment)
    names, types, offsets, size = layout_of(record["arguments"])
    values = {
        "name": ["string", facts["name"]],
        "argument_names": ["string_list", names],
        "argument_types": ["string_list", types],
        "argument_offsets": ["i64_list", offsets],
        "argument_size": ["i64", size],
        "shared": ["i64", facts.get("shared") or 0],
        "num_warps": ["i64", facts.get("num_warps") or 1],
        "num_ctas": ["i64", num_ctas],
        "warp_size": ["i64", record["warp_size"]],
        "cooperative": ["bool", bool(facts.get("launch_cooperative_grid"))],
        "launch_pdl": ["bool", bool(facts.get("launch_pdl"))],
        "scratch_size": ["i64", scratch],
        "scratch_alignment": ["i64", alignment],
        "profile_scratch_size": ["i64", profile],
        "scratch_parameters": ["i64", record["scratch_parameters"]],
        "triton_version": ["string", record["version"]],
    }
    if facts.get("tmem_size"):
        values["tmem_size"] = ["i64", facts["tmem_size"]]
    parameters = record.get("parameters")
    if parameters is not None and parameters != list(range(len(names))):
        values["parameters"] = ["i64_list", parameters]
    if any(number < 0 for number in parameters or ()):
        values["tensor_maps"] = ["i64_list", tensor_maps_of(
            record["arguments"], facts.get("tensordesc_meta") or ())]
    return values


def plain(value):
    """`value`, if JSON has it and gives it back."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return True
    if isinstance(value, (list, tuple)):
        return all(plain(item) for item in value)
    return isinstance(value, dict) and all(
        isinstance(key, str) and plain(item) for key, item in value.items())


# ---------------------------------------------------------------- requests
class Compiler:
    def __init__(self, arguments):
        self.triton = import_triton()
        self.backends = Backends(*(arguments[:1]), folders=arguments[1:])

    def answer(self, request, blobs, event):
        what = getattr(self, "do_" + str(request.get("request")), None)
        if not what:
            raise Refusal("unimplemented",
                          f"unknown request '{request.get('request')}'")
        return what(request, blobs)

    def do_describe(self, request, blobs):
        """Everything that is known of a target before something is compiled."""
        target = target_of(request)
        backend = self.backends.find(target)
        options = options_of(backend, {})
        names = list(stages_of(backend, options))
        images = [name for name in names
                  if name in IMAGES or name == names[-1]]
        schema = schema_of(options)
        if len(images) > 1:
            schema.append({"name": "image", "type": "string",
                           "default": names[-1], "doc": DOCS["image"],
                           "choices": images[::-1], "unset": False})
        facts = frontend_facts(backend, options)
        facts["functions"] = functions_of(backend)
        return {
            "version": self.triton.__version__,
            "key": key_of(backend, self.backends.files()),
            "files": self.backends.files() + tools_of(target),
            "warp_size": target.warp_size, "options": schema, "facts": facts,
            "stages": [{"name": name, "input": names[max(i - 1, 0)],
                        "output": name, "extension": name,
                        "image": name in images}
                       for i, name in enumerate(names)],
        }, {}

    def do_check(self, request, blobs):
        """Whether Triton accepts the options."""
        options_of(self.backends.find(target_of(request)), request["options"])
        return {}, {}

    def do_stage(self, request, blobs):
        """Runs one stage on the blob `input`."""
        target = target_of(request)
        backend = self.backends.find(target)
        options = options_of(backend, request["options"])
        stages = stages_of(backend, options)
        names = list(stages)
        stage = request["stage"]
        index = names.index(stage)
        kind = names[max(index - 1, 0)]
        data, record = split_record(kind, blobs["input"])
        form = (record or {}).get("form", usual_form(kind))
        source = parse_module(backend, kind, data) if form == "module" else (
            data.decode("utf-8", "replace") if form == "text" else data)
        if record is None:
            if form != "module":
                raise Refusal(
                    "invalid-argument", f"the {kind} does not end with a line "
                    f"'{COMMENT.get(kind, '//')} {MARK}{{...}}', which describes"
                    " the kernel's arguments; append that of a dump")
            record = {"arguments": arguments_of(source), "triton": {}}
        record["version"] = self.triton.__version__
        record["warp_size"] = target.warp_size
        # Both lower a kernel with two pointers more than the source has.
        record["scratch_parameters"] = \
            2 if target.backend in ("cuda", "hip") else 0
        metadata = {**vars(options), **record["triton"]}
        output = self.run(stages[stage], source, metadata, target)
        known = vars(options)
        record["triton"] = {
            name: value for name, value in metadata.items()
            if plain(value) and (name not in known or known[name] != value)}
        if stage == "ttir" and hasattr(output, "get_function_signature"):
            record["parameters"] = parameters_of(
                record["arguments"], signature_of(output)[1])
        form = form_of(output, stage)
        record.pop("form", None)
        if form != usual_form(stage):
            record["form"] = form
        if form != "bytes":
            output = str(output).encode()
        answer = {}
        is_image = stage in IMAGES or index == len(names) - 1
        if is_image:
            answer["metadata"] = values_of(record, options)
        if stage in COMMENT or not is_image:
            output = with_record(stage, bytes(output), record)
        return answer, {"output": bytes(output)}

    def run(self, function, source, metadata, target):
        from triton.runtime import errors
        try:
            return function(source, metadata)
        except errors.PTXASError as error:
            # Its path is that of a temporary file.
            text = re.sub(r"/\S*/tmp\w+\.ptx", "input.ptx", str(error))
            lines = [line.strip() for line in text.splitlines()
                     if line.strip() and not line.startswith("Repro command")
                     and "` stderr:" not in line]
            raise Refusal("invalid-argument",
                          "the PTX assembler failed: " + "; ".join(lines[:1]),
                          notes=lines[1:9]) from error
        except errors.OutOfResources as error:
            raise Refusal("out-of-resources", str(error)) from error
        except RuntimeError as error:
            # MLIR and LLVM have printed the reasons, which the plugin reads.
            raise Refusal("invalid-argument", "Triton failed: "
                          + (str(error).strip() or "no reason given")
                          ) from error


def fix_addresses():
    """Programs that this process starts get the same addresses each time: ptxas
    orders registers by them. Where the system forbids it (seccomp), a few
    kernels have one of several images that compute the same."""
    ADDR_NO_RANDOMIZE = 0x0040000
    try:
        libc = ctypes.CDLL(None)
        libc.personality(libc.personality(0xffffffff) | ADDR_NO_RANDOMIZE)
    except (OSError, AttributeError):
        pass  # not Linux


def main():
    fix_addresses()
    # The folder that the plugin removes with this process. Names of files are
    # relative to it: what is compiled does not depend on them.
    os.chdir(os.environ["TMPDIR"])
    try:
        compiler = Compiler(sys.argv[1:])
        hello = {"worker": "nereid-triton", "python": sys.version.split()[0],
                 "triton": compiler.triton.__version__}
        answer = compiler.answer
    except Refusal as refusal:
        # Said at once, and to every request.
        hello = {"worker": "nereid-triton",
                 "error": nereid_worker.error_of(refusal)}
        error = hello["error"]

        def answer(request, blobs, event):
            return {"error": error}, {}
    nereid_worker.serve(hello, answer)


if __name__ == "__main__":
    main()
