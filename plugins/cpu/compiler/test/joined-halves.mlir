// Where lanes alternate between two tiles, both would be computed for all lanes,
// so costly ones are computed before; cheap ones are not.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 f32[64]=ones f32[128]=zeros

// CHECK-LABEL: tile program @joined
// CHECK: nest {{\[64\]}}
// CHECK-NEXT: materialize [[LOW:%[0-9]+]] in
// CHECK-NEXT: materialize [[HIGH:%[0-9]+]] in
// CHECK-NOT: materialize
// CHECK: nest {{\[128\]}}
// CHECK-NEXT: store
// CHECK-NEXT: store

tt.func public @joined(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xi = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xi : tensor<64x!tt.ptr<f32>>
  %sin = math.sin %v : tensor<64xf32>
  %cos = math.cos %v : tensor<64xf32>
  %pairs = tt.join %sin, %cos : tensor<64xf32> -> tensor<64x2xf32>
  %all = tt.reshape %pairs : tensor<64x2xf32> -> tensor<128xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yj = tt.addptr %ys, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yj, %all : tensor<128x!tt.ptr<f32>>
  %twice = arith.addf %v, %v : tensor<64xf32>
  %cheap = tt.join %v, %twice : tensor<64xf32> -> tensor<64x2xf32>
  %flat = tt.reshape %cheap : tensor<64x2xf32> -> tensor<128xf32>
  tt.store %yj, %flat : tensor<128x!tt.ptr<f32>>
  tt.return
}
