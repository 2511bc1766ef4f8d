// Passes.td: passes over Triton IR, named as Triton names them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_PASSES_TD
#define NEREID_TTIR_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonCombine : Pass<"triton-combine", "::mlir::ModuleOp"> {
  let summary = "Merge neighbouring operations into one";
  let description = [{
    - `dot(a, b, 0) + c` becomes `dot(a, b, c)`, dot_scaled likewise.
    - `addptr(addptr(p, i), j)` becomes `addptr(p, i + j)` where the sum cannot
      overflow.
    - `select(c, load(p, splat(c), x), y)` becomes `load(p, splat(c), y)`.
    - A reshape to one dimension that only reductions and histograms read may
      reorder.
    - A descriptor_load whose leading unit dimensions are reshaped away drops
      them itself.

    Triton also turns a reduce of broadcast products into a dot. That is left
    out: it ignores the axis, and changes the precision of the sum.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonReorderBroadcast
    : Pass<"triton-reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "Compute before splat and broadcast instead of after";
  let description = [{
    `f(splat(a), splat(b))` becomes `splat(f(a, b))`, and `f(broadcast(a),
    splat(b))` becomes `broadcast(f(a, splat(b)))`, so that fewer elements are
    computed. Most of what goes away is address and mask arithmetic.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect"];
}

def TritonRewriteTensorPointer
    : Pass<"triton-rewrite-tensor-pointer", "::mlir::ModuleOp"> {
  let summary = "Block pointers (3.6, 3.7) become tensors of pointers";
  let description = [{
    Replaces a block pointer by its base, shape, strides and offsets, through
    scf.for, scf.while, scf.if, cf branches and functions, and expands each load
    and store to addresses and a mask over the dimensions of boundaryCheck.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect"];
}

def TritonRewriteTensorDescriptorToPointer
    : Pass<"triton-rewrite-tensor-descriptor-to-pointer", "::mlir::ModuleOp"> {
  let summary = "Tensor descriptors become tensors of pointers";
  let description = [{
    Replaces a descriptor by a pointer, i64 sizes, i64 strides and an i1 that
    asks for NaN padding. Arguments of functions change alike, so a launcher
    passes a descriptor in these pieces; since 3.7 with one more i1, which asks
    to round f32 to tf32 and is ignored here.
  }];
  let options = [
    Option<"roundFlag", "round-flag", "bool", "true",
           "Descriptors have the i1 for tf32 rounding (3.7 and later)">,
  ];
  let dependentDialects = ["::nereid::tt::TTDialect"];
}

def TritonLoopUnroll : Pass<"triton-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "Unroll loops by their tt.loop_unroll_factor";
}

def TritonLoopInvariantCodeMotion : Pass<"triton-licm", "::mlir::ModuleOp"> {
  let summary = "Hoist what does not change in a loop, loads included";
  let description = [{
    MLIR's motion of invariant code, and besides: a load whose operands do not
    change is hoisted from an scf.for that writes no memory. Its mask then also
    asks for at least one iteration, so that a loop that never runs touches
    nothing.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect"];
}

#endif // NEREID_TTIR_PASSES_TD
