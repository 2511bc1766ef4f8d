// TTGOps.td: the one piece of the `ttg` dialect that plain kernels hold.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTGOPS_TD
#define NEREID_TTIR_TTGOPS_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::nereid::ttg";
  let summary = "`ttg.barrier`, which tl.debug_barrier is since Triton 3.7";
}

def TTG_AddrSpaceAttr : I32BitEnumAttr<"AddrSpace", "", [
  I32BitEnumAttrCaseNone<"None", "none">,
  I32BitEnumAttrCaseBit<"Local", 0, "local">,
  I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">,
  I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">,
  I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">,
  I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">,
]> {
  let cppNamespace = "::nereid::ttg";
}

def TTG_GlobalMemory : Resource<"::nereid::tt::GlobalMemory">;

def TTG_BarrierOp : Op<TTG_Dialect, "barrier", [
    MemoryEffects<[MemRead<TTG_GlobalMemory>, MemWrite<TTG_GlobalMemory>]>]> {
  let summary = "All threads of a program meet; memory named is in order";
  let arguments = (ins TTG_AddrSpaceAttr:$addrSpace);
  let hasCustomAssemblyFormat = 1;
}

#endif // NEREID_TTIR_TTGOPS_TD
