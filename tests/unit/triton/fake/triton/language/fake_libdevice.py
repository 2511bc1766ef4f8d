# External functions, written as Triton writes them.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

core = None


def popc(arg0, _semantic=None):
    return core.extern_elementwise(
        "", "", [arg0], {
            (core.dtype("int32"), ): ("__nv_popc", core.dtype("int32")),
            (core.dtype("int64"), ): ("__nv_popcll", core.dtype("int32")),
        }, is_pure=True, _semantic=_semantic)


def fma(arg0, arg1, arg2, _semantic=None):
    return core.extern_elementwise("", "", [arg0, arg1, arg2], {
        (core.dtype("fp32"), core.dtype("fp32"), core.dtype("uint64")): ("__nv_fmaf", core.dtype("fp16")),
    }, is_pure=True, _semantic=_semantic)


def odd(arg0, _semantic=None):
    return core.extern_elementwise("", "", [arg0], {
        (core.dtype("fp6"), ): ("__nv_odd", core.dtype("fp32")),
    }, is_pure=True, _semantic=_semantic)
