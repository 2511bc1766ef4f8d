// Vectors of f16 are compared in f32 on AVX512-FP16: LLVM 19 may exchange the
// operands of a masked comparison of f16 and keep its predicate.
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after asm --no-cache -o - | FileCheck %s

// CHECK-NOT: {{vcmp[a-z_]*ph}}
// CHECK:     {{vcmp[a-z_]*ps}}
// CHECK-NOT: {{vcmp[a-z_]*ph}}
tt.func public @below_two(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %xi = tt.addptr %xs, %range : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %values = tt.load %xi : tensor<16x!tt.ptr<f16>>
  %two = arith.constant dense<2.0> : tensor<16xf16>
  %below = arith.cmpf olt, %values, %two : tensor<16xf16>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %within = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %mask = arith.andi %below, %within : tensor<16xi1>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %oi = tt.addptr %outs, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %ones = arith.constant dense<1.0> : tensor<16xf32>
  tt.store %oi, %ones, %mask : tensor<16x!tt.ptr<f32>>
  tt.return
}
