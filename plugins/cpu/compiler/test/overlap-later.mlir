// Rows of a load, and of a later store to the same memory, whose numbers are in scratch only
// after the place where the load would be compared with all stores: it is not moved.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[256]=random i32[8]=range i32[128]=zeros f32[128]=zeros --save 0=%t.0.npy --save 3=%t.3.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=random i32[8]=range i32[128]=zeros f32[128]=zeros --expect 0=%t.0.npy,0,0 --expect 3=%t.3.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK-NOT: copy
// CHECK: nest [4x32]
// CHECK-NEXT: materialize

tt.func public @rows(%x: !tt.ptr<f32>, %numbers: !tt.ptr<i32>, %other: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %c2 = arith.constant dense<2> : tensor<4xi32>
  %c5 = arith.constant dense<5> : tensor<4xi32>
  %c16 = arith.constant dense<16> : tensor<4xi32>
  %c32 = arith.constant dense<32> : tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4x32xf32>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j_e = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %j_b = tt.broadcast %j_e : tensor<1x32xi32> -> tensor<4x32xi32>
  %ns = tt.splat %numbers : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %pn = tt.addptr %ns, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %n = tt.load %pn {isVolatile = true} : tensor<4x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>

  %r2 = arith.remui %n, %c2 : tensor<4xi32>
  %c64 = arith.constant dense<64> : tensor<4xi32>
  %a_first = arith.muli %r2, %c16 : tensor<4xi32>
  %a0 = arith.addi %a_first, %c64 : tensor<4xi32>
  %a1 = tt.expand_dims %a0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %a2 = tt.broadcast %a1 : tensor<4x1xi32> -> tensor<4x32xi32>
  %a3 = arith.addi %a2, %j_b : tensor<4x32xi32>
  %pa = tt.addptr %xs, %a3 : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  %a = tt.load %pa : tensor<4x32x!tt.ptr<f32>>

  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %os = tt.splat %other : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %po = tt.addptr %os, %k : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %po, %k : tensor<128x!tt.ptr<i32>>

  %r5 = arith.remui %n, %c5 : tensor<4xi32>
  %b0 = arith.muli %r5, %c32 : tensor<4xi32>
  %b1 = tt.expand_dims %b0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %b2 = tt.broadcast %b1 : tensor<4x1xi32> -> tensor<4x32xi32>
  %b3 = arith.addi %b2, %j_b : tensor<4x32xi32>
  %pb = tt.addptr %xs, %b3 : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  %b = tt.load %pb {isVolatile = true} : tensor<4x32x!tt.ptr<f32>>
  %next = arith.addf %b, %one : tensor<4x32xf32>
  tt.store %pb, %next : tensor<4x32x!tt.ptr<f32>>

  %rows = arith.muli %i, %c32 : tensor<4xi32>
  %o1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %o2 = tt.broadcast %o1 : tensor<4x1xi32> -> tensor<4x32xi32>
  %o3 = arith.addi %o2, %j_b : tensor<4x32xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %pout = tt.addptr %outs, %o3 : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %pout, %a : tensor<4x32x!tt.ptr<f32>>
  tt.return
}
