// Operations on f16 that were extended to f32 stay vector operations, and a
// maximum with NaN is NaN: LLVM 19 narrows them to f16.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after asm --no-cache -o - | FileCheck %s

// CHECK-NOT: {{u?comiss|callq}}
// CHECK:     vroundps
// CHECK:     vmaxps
// CHECK:     vcmp{{[a-z_]*}}ps
// CHECK:     vcvtps2ph
// CHECK-NOT: {{u?comiss|callq}}
tt.func public @of_halves(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %xi = tt.addptr %xs, %i : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %a = tt.load %xi : tensor<16x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %yi = tt.addptr %ys, %i : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %b = tt.load %yi : tensor<16x!tt.ptr<f16>>
  %f = arith.extf %a : tensor<16xf16> to tensor<16xf32>
  %g = arith.extf %b : tensor<16xf16> to tensor<16xf32>
  %floor = math.floor %f : tensor<16xf32>
  %max = arith.maximumf %floor, %g : tensor<16xf32>
  %isBelow = arith.cmpf olt, %f, %g : tensor<16xf32>
  %chosen = arith.select %isBelow, %max, %f : tensor<16xi1>, tensor<16xf32>
  %half = arith.truncf %chosen : tensor<16xf32> to tensor<16xf16>
  %os = tt.splat %out : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %oi = tt.addptr %os, %i : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  tt.store %oi, %half : tensor<16x!tt.ptr<f16>>
  tt.return
}
