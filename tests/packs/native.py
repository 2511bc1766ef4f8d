"""Calls the operators of a pack through libnereid-ops, as C programs do: the same
tests as of the pack's data then test reading, choosing and calling in C++."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import ctypes as c
import pathlib

from pack import DTYPES, NAMES, check_guards, guarded, tensors_of

CODES = {"i": 0, "u": 1, "f": 2, "b": 4}


class String(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_uint64)]


class Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device_type", c.c_int32),
        ("device_id", c.c_int32),
        ("ndim", c.c_int32),
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


class Value(c.Structure):
    _fields_ = [
        ("name", String),
        ("type", c.c_int32),
        ("reserved", c.c_uint32),
        ("i64", c.c_int64),
        ("f64", c.c_double),
        ("text", String),
        ("list", c.c_void_p),
        ("list_size", c.c_uint64),
    ]


class Argument(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("count", c.c_uint32),
        ("name", String),
        ("tensors", c.POINTER(c.POINTER(Tensor))),
    ]


ALLOCATE = c.CFUNCTYPE(c.c_int32, c.c_void_p, String, c.POINTER(Tensor), c.POINTER(Tensor))


class Allocator(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("user", c.c_void_p),
        ("allocate", ALLOCATE),
    ]


class Call(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("inputs", c.POINTER(Argument)),
        ("input_count", c.c_uint64),
        ("outputs", c.POINTER(Argument)),
        ("output_count", c.c_uint64),
        ("attributes", c.POINTER(Value)),
        ("attribute_count", c.c_uint64),
        ("stream", c.c_uint64),
        ("allocator", c.POINTER(Allocator)),
    ]


class Options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("pack_dirs", String),
        ("user_dir", String),
    ]


class Load(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device", c.c_uint32),
        ("runtime", c.c_void_p),
        ("backend", c.c_void_p),
        ("python", String),
        ("kernels", c.c_void_p),
    ]


def string(text):
    data = text.encode()
    return String(data, len(data))


def sized(kind, **fields):
    return kind(struct_size=c.sizeof(kind), **fields)


class Library:
    """The packs in one folder, on the device `target`."""

    def __init__(self, folder, packs, target="cpu"):
        self.host = c.CDLL(str(pathlib.Path(folder, "libnereid.so")), c.RTLD_GLOBAL)
        self.ops = c.CDLL(str(pathlib.Path(folder, "libnereid-ops.so")))
        self.host.nereid_error.restype = String
        self.runtime, packs_handle, self.device = c.c_void_p(), c.c_void_p(), c.c_void_p()
        self.backend = c.c_void_p()
        self.check(self.host.nereid_runtime_create(None, c.byref(self.runtime)))
        find = self.host.nereid_runtime_backend
        self.check(find(self.runtime, string(target), c.byref(self.backend)))
        # Nothing but these packs, which others may write in a checkout.
        options = sized(Options, flags=7, pack_dirs=string(str(packs)))
        self.check(self.ops.nereid_ops_create(c.byref(options), c.byref(packs_handle)))
        load = sized(Load, runtime=self.runtime, backend=self.backend)
        self.check(self.ops.nereid_ops_load(packs_handle, c.byref(load), c.byref(self.device)))

    def check(self, status):
        if status:
            text = self.host.nereid_error()
            raise ValueError(c.string_at(text.data, text.size).decode())

    def operator(self, name):
        found = c.c_void_p()
        self.check(self.ops.nereid_ops_operator(self.device, string(name), c.byref(found)))
        return found


class Pointers:
    """The structs of a call, and what they point to."""

    def __init__(self):
        self.kept = []

    def numbers(self, values):
        self.kept.append((c.c_int64 * max(len(values), 1))(*values))
        return self.kept[-1]

    def tensor(self, tensor):
        name = NAMES[tensor.dtype]
        code = 6 if name == "i1" else CODES[name[0]]
        bits = 8 * tensor.element_size()
        shape, strides = self.numbers(tensor.shape), self.numbers(tensor.stride())
        made = Tensor(tensor.data_ptr(), 1, 0, tensor.dim(), code, bits, 1, shape, strides, 0)
        self.kept.append(made)
        return made

    def arguments(self, given):
        made = []
        for name, tensors in given.items():
            tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
            each = [c.pointer(self.tensor(tensor)) for tensor in tensors]
            array = (c.POINTER(Tensor) * max(len(each), 1))(*each)
            self.kept.append(array)
            made.append(sized(Argument, count=len(each), name=string(name), tensors=array))
        self.kept.append((Argument * max(len(made), 1))(*made))
        return self.kept[-1]

    def attribute(self, name, value):
        made = Value(name=string(name))
        if isinstance(value, bool):
            made.type, made.i64 = 3, value
        elif isinstance(value, int):
            made.type, made.i64 = 1, value
        elif isinstance(value, float):
            made.type, made.f64 = 2, value
        elif isinstance(value, str):
            made.type, made.text = 4, string(value)
        else:
            made.type, made.list_size = 6, len(value)
            made.list = c.cast(self.numbers(value), c.c_void_p)
        return made


class Prepared:
    """A call of an operator, as Operator.__call__ of pack.py, that can be repeated."""

    def __init__(self, library, operator, outputs, given):
        self.library, self.operator = library, operator
        self.pointers, self.guards, self.made = Pointers(), [], dict(outputs or {})
        pointers = self.pointers
        tensors = {n: given[n] for n in operator.inputs if given.get(n) is not None}
        attributes = [
            pointers.attribute(n, given[n]) for n in operator.attributes if given.get(n) is not None
        ]
        self.inputs = [(n, one, one.clone()) for n in tensors for one in tensors_of(tensors[n])]
        self.allocator = sized(Allocator, allocate=ALLOCATE(self.allocate))
        self.values = (Value * max(len(attributes), 1))(*attributes)
        self.request = sized(
            Call,
            inputs=pointers.arguments(tensors),
            input_count=len(tensors),
            outputs=pointers.arguments(self.made) if self.made else None,
            output_count=len(self.made),
            attributes=self.values,
            attribute_count=len(attributes),
            allocator=c.pointer(self.allocator),
        )
        self.handle = library.operator(operator.name)
        self.reference = c.byref(self.request)

    def allocate(self, _, name, wanted, out):
        wanted = wanted.contents
        shape = [wanted.shape[i] for i in range(wanted.ndim)]
        kind = {0: "i", 1: "u", 2: "f", 4: "bf"}.get(wanted.code)
        dtype = f"{kind}{wanted.bits}" if kind else "i1"
        tensor = guarded(shape, DTYPES[dtype], self.guards)
        self.made[c.string_at(name.data, name.size).decode()] = tensor
        out.contents.data = tensor.data_ptr()
        return 0

    def run(self):
        library = self.library
        library.check(library.ops.nereid_operator_call(self.handle, self.reference))
        library.check(library.host.nereid_backend_synchronize(library.backend, 0, c.c_uint64(0)))

    def results(self):
        check_guards(self.guards, self.operator.name)
        for name, tensor, before in self.inputs:
            same = (tensor == before) | (tensor != tensor)
            assert same.all(), f"{self.operator.name}: wrote to {name}"
        found = [self.made.get(name) for name in self.operator.outputs]
        return found[0] if len(found) == 1 else found


def call(library, operator, outputs, given):
    """As Operator.__call__ of pack.py."""
    prepared = Prepared(library, operator, outputs, given)
    prepared.run()
    return prepared.results()
