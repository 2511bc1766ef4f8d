// Rows that a loop multiplies by one, where they are, are left alone; not so rows of
// few vectors, and rows that are written elsewhere.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-element-loops --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=-unit-factors,-element-loops --stop-after llir -o - | FileCheck %s --check-prefix=ALWAYS
// RUN: sed 's/x64x/x32x/g; s/<64x/<32x/g; s/tensor<64/tensor<32/g; s/end = 64/end = 32/' %s > %t.short.mlir
// RUN: nereid compile %t.short.mlir --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-element-loops --stop-after llir -o - | FileCheck %s --check-prefix=ALWAYS
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[4,64]=random:1 f32[4,4]=random:2 i32=4 --save 0=%t.npy
// RUN: nereid run %s --target cpu -O vector_bits=256 -O fast_paths=all,-element-loops --grid 1 f32[4,64]=random:1 f32[4,4]=random:2 i32=4 --expect 0=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[4,64]=random:1 f32[4,4]=ones i32=4 --save 0=%t.npy
// RUN: nereid run %s --target cpu -O vector_bits=256 -O fast_paths=all,-element-loops --grid 1 f32[4,64]=random:1 f32[4,4]=ones i32=4 --expect 0=%t.npy,0,0

// CHECK: fcmp oeq float %{{.+}}, 1.000000e+00
// ALWAYS-NOT: fcmp oeq float %{{.+}}, 1.000000e+00
tt.func public @scale(%x: !tt.ptr<f32>, %factors: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %pitch = arith.constant dense<64> : tensor<4x1xi32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %rows, %pitch : tensor<4x1xi32>
  %starts_b = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x64xi32>
  %columns_b = tt.broadcast %columns : tensor<1x64xi32> -> tensor<4x64xi32>
  %offsets = arith.addi %starts_b, %columns_b : tensor<4x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %at = tt.addptr %xs, %offsets : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %first = tt.load %at : tensor<4x64x!tt.ptr<f32>>
  %scaled = scf.for %t = %c0 to %n step %c1 iter_args(%tile = %first) -> (tensor<4x64xf32>) : i32 {
    %step = arith.muli %t, %c4 : i32
    %steps = tt.splat %step : i32 -> tensor<4xi32>
    %o = arith.addi %steps, %i : tensor<4xi32>
    %f_tile = tt.splat %factors : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %f_at = tt.addptr %f_tile, %o : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %factor = tt.load %f_at : tensor<4x!tt.ptr<f32>>
    %large = arith.cmpf ogt, %factor, %half : tensor<4xf32>
    %some = arith.select %large, %one, %factor : tensor<4xi1>, tensor<4xf32>
    %some_e = tt.expand_dims %some {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
    %some_b = tt.broadcast %some_e : tensor<4x1xf32> -> tensor<4x64xf32>
    %next = arith.mulf %tile, %some_b : tensor<4x64xf32>
    scf.yield %next : tensor<4x64xf32>
  }
  tt.store %at, %scaled : tensor<4x64x!tt.ptr<f32>>
  tt.return
}
