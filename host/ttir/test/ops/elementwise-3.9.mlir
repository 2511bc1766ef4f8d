// Elementwise operations that came with Triton 3.9.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @divide
tt.func public @divide(%x: tensor<16xf32>, %b: tensor<16xbf16>) {
  // CHECK: tt.approx_divf %{{.*}}, %{{.*}} : tensor<16xf32>
  %0 = tt.approx_divf %x, %x : tensor<16xf32>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<16xbf16> -> tensor<16xf16>
  %1 = tt.fp_to_fp %b, rounding = rtne : tensor<16xbf16> -> tensor<16xf16>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<16xbf16>
  %2 = tt.clampf %b, %b, %b, propagateNan = none : tensor<16xbf16>
  tt.return
}
