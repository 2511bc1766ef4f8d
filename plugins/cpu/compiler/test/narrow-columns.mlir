// Sums along columns of which a tile has fewer than a vector has elements: the
// vectors are along the rows, in which the state and its copy in memory are
// contiguous, though a vector of factors is contiguous along the columns. Several
// rows have sums of their own, unless the order of the sums is given.

// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefix=ORDERED
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[64]=random:1 f32[8]=random:2 f32[8]=zeros i32=5
// RUN: %{run} -O fast_paths=none --save 2=%t.npy
// RUN: %{run} --expect 2=%t.npy,1e-5,1e-5
// RUN: %{run} -O reassociate=false --expect 2=%t.npy,1e-5,1e-5

// CHECK: scf.for
// CHECK: nest [64x8] axis 1 lanes 8 unroll 1 rows 4
// CHECK-NEXT: reduce
// CHECK: nest [64x8] axis 1 lanes 8 unroll 1 rows 4
// CHECK-NEXT: materialize
// CHECK-NEXT: reduce

// ORDERED: scf.for
// ORDERED: nest [64x8] axis 1 lanes 8 unroll 1{{$}}
// ORDERED-NEXT: reduce

tt.func public @kernel(%k: !tt.ptr<f32>, %v: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %k0 = tt.splat %k : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %v0 = tt.splat %v : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %kp = tt.addptr %k0, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %vp = tt.addptr %v0, %columns : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %op = tt.addptr %o0, %columns : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zero) -> (tensor<64x8xf32>) : i32 {
    %kv = tt.load %kp : tensor<64x!tt.ptr<f32>>
    %vv = tt.load %vp : tensor<8x!tt.ptr<f32>>
    %k1 = tt.expand_dims %kv {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %k2 = tt.broadcast %k1 : tensor<64x1xf32> -> tensor<64x8xf32>
    %products = arith.mulf %state, %k2 : tensor<64x8xf32>
    %seen = "tt.reduce"(%products) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.reduce.return %sum : f32
    }) : (tensor<64x8xf32>) -> tensor<8xf32>
    %new = arith.subf %vv, %seen : tensor<8xf32>
    %v1 = tt.expand_dims %new {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
    %v2 = tt.broadcast %v1 : tensor<1x8xf32> -> tensor<64x8xf32>
    %update = arith.mulf %k2, %v2 : tensor<64x8xf32>
    %next = arith.addf %state, %update : tensor<64x8xf32>
    %answers = arith.mulf %next, %k2 : tensor<64x8xf32>
    %answer = "tt.reduce"(%answers) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.reduce.return %sum : f32
    }) : (tensor<64x8xf32>) -> tensor<8xf32>
    tt.store %op, %answer : tensor<8x!tt.ptr<f32>>
    scf.yield %next : tensor<64x8xf32>
  }
  tt.return
}
