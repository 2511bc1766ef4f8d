// What is the same in all of a row is computed before in vectors of rows, if the
// sums of each row wait for it, and elsewhere if it takes long; a function of
// columns that takes more than a load, too.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s

// CHECK-LABEL: tile program @rows
// CHECK: nest {{\[32\]}}
// CHECK-NEXT: materialize [[POWER:%[0-9]+]] in
// CHECK: nest {{\[64\]}}
// CHECK-NEXT: materialize [[ROOT:%[0-9]+]] in
// CHECK: nest {{\[32x64\]}} axis 1
// CHECK-NEXT: reduce
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %yi = tt.addptr %ys, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %yi : tensor<32x!tt.ptr<f32>>
  %f = math.exp2 %v : tensor<32xf32>
  %yj = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yjs = tt.addptr %yj, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %w = tt.load %yjs : tensor<64x!tt.ptr<f32>>
  %root = math.sqrt %w : tensor<64xf32>
  %g = arith.divf %one, %root : tensor<64xf32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %row, %c64 : tensor<32x1xi32>
  %rs = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %cs = tt.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %rs, %cs : tensor<32x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %xi = tt.addptr %xs, %offsets : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %t = tt.load %xi : tensor<32x64x!tt.ptr<f32>>
  %f1 = tt.expand_dims %f {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %fs = tt.broadcast %f1 : tensor<32x1xf32> -> tensor<32x64xf32>
  %g1 = tt.expand_dims %g {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %gs = tt.broadcast %g1 : tensor<1x64xf32> -> tensor<32x64xf32>
  %tf = arith.mulf %t, %fs : tensor<32x64xf32>
  %tg = arith.addf %tf, %gs : tensor<32x64xf32>
  %sum = "tt.reduce"(%tg) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tt.reduce.return %add : f32
  }) : (tensor<32x64xf32>) -> tensor<32xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %oi = tt.addptr %os, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %oi, %sum : tensor<32x!tt.ptr<f32>>
  tt.return
}
