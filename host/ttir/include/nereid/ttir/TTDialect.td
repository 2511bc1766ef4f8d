// TTDialect.td: the `tt` dialect itself.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_TTDIALECT_TD
#define NEREID_TTIR_TTDIALECT_TD

include "mlir/IR/DialectBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::nereid::tt";
  let summary = "Triton IR, as Triton 3.6 to 3.9 write it";
  let description = [{
    Kernels over tensors of statically known shape. Control flow comes from
    `scf` and `cf`, arithmetic from `arith` and `math`; this dialect adds
    pointers, memory, shapes, reductions, matrix products and functions.
  }];

  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect",
  ];

  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;

  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // NEREID_TTIR_TTDIALECT_TD
