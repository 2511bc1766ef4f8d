# libnereid_ops.py - libnereid-ops for the scripts beside this file, by ctypes.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
"""Only what the comparisons with Python need."""

import ctypes
import json


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_uint64)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("pack_dirs", String), ("user_dir", String)]


class Target(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("device_type", String), ("arch", String), ("compiler", String),
                ("properties", String)]


IGNORE_ENVIRONMENT, NO_INSTALLED, ALLOW_WRITABLE = 1, 2, 4


def string(text):
    data = text.encode()
    return String(data, len(data))


class Library:
    def __init__(self, host, ops):
        self.host = ctypes.CDLL(host, mode=ctypes.RTLD_GLOBAL)
        self.ops = ctypes.CDLL(ops)
        self.host.nereid_error.restype = String
        self.host.nereid_buffer_bytes.restype = Bytes
        self.host.nereid_buffer_bytes.argtypes = [ctypes.c_void_p]
        self.host.nereid_buffer_destroy.argtypes = [ctypes.c_void_p]
        pointer = ctypes.c_void_p
        for name, arguments in (
                ("expression_parse", [String, pointer]),
                ("expression_evaluate", [pointer, String, pointer]),
                ("expression_destroy", [pointer]),
                ("ops_create", [pointer, pointer]),
                ("ops_destroy", [pointer]),
                ("ops_report", [pointer, pointer]),
                ("ops_explain", [pointer, pointer, String, String, pointer])):
            getattr(self.ops, f"nereid_{name}").argtypes = arguments

    def error(self):
        """No value, and why."""
        text = self.host.nereid_error()
        return None, ctypes.string_at(text.data, text.size).decode()

    def take(self, call, *arguments):
        """The text that a function writes to a buffer, or the error."""
        buffer = ctypes.c_void_p()
        if call(*arguments, ctypes.byref(buffer)):
            return self.error()
        data = self.host.nereid_buffer_bytes(buffer)
        text = ctypes.string_at(data.data, data.size).decode()
        self.host.nereid_buffer_destroy(buffer)
        return text, None

    def evaluate(self, text, values):
        """repr() of the expression over JSON values, or None and the error."""
        handle = ctypes.c_void_p()
        if self.ops.nereid_expression_parse(string(text), ctypes.byref(handle)):
            return self.error()
        try:
            return self.take(self.ops.nereid_expression_evaluate, handle,
                             string(values))
        finally:
            self.ops.nereid_expression_destroy(handle)


class Packs:
    """The packs of a folder, for one target."""

    def __init__(self, library, folder, device_type, arch, properties):
        self.library, self.handle = library, ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), IGNORE_ENVIRONMENT |
                          NO_INSTALLED | ALLOW_WRITABLE, string(str(folder)))
        if library.ops.nereid_ops_create(ctypes.byref(options),
                                         ctypes.byref(self.handle)):
            raise RuntimeError(library.error()[1])
        self.target = Target(ctypes.sizeof(Target), 0, string(device_type),
                             string(arch), string(""),
                             string(json.dumps(properties)))

    def report(self):
        return json.loads(self.library.take(self.library.ops.nereid_ops_report,
                                            self.handle)[0])

    def explain(self, name, call):
        """The choice, or None and the error."""
        text, error = self.library.take(
            self.library.ops.nereid_ops_explain, self.handle,
            ctypes.byref(self.target), string(name), string(json.dumps(call)))
        return (json.loads(text), None) if error is None else (None, error)
