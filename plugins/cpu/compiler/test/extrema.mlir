// The larger number of two by one instruction, which yields NaN beside a
// signalling NaN: only where arithmetic computed both.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NARROW

// CHECK: call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
// NARROW-NOT: mask.range
// NARROW: call <8 x float> @llvm.maxnum.v8f32
tt.func public @computed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xi = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xi : tensor<64x!tt.ptr<f32>>
  %square = arith.mulf %v, %v : tensor<64xf32>
  %most = "tt.reduce"(%square) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %max = arith.maxnumf %a, %b : f32
    tt.reduce.return %max : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %y, %most : !tt.ptr<f32>
  tt.return
}
