// RUN: nereid-distribute --pipeline %s | FileCheck %s

// The tiles of the first iteration are loaded in front of the loop, those of
// the next one in front of the product; the last iteration loads its own again.
// CHECK-LABEL: // 2 ahead
// CHECK-LABEL: @matmul
tt.func public @matmul(%p: tensor<32x16x!tt.ptr<f32>>, %q: tensor<16x32x!tt.ptr<f32>>, %k: i32, %z: tensor<32x32xf32>, %o: tensor<32x32x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %by = arith.constant dense<16> : tensor<32x16xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rk = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0_i32, %arg2
  // CHECK: %[[FIRST:.*]]:2 = scf.if %[[RUNS]]
  // CHECK-COUNT-2: tt.load
  // CHECK: } else {
  // CHECK-NOT: tt.load
  // CHECK: scf.for %[[IV:.*]] = %c0_i32 to %arg2 step %c16_i32 iter_args(%[[SUM:.*]] = %c0_i64, %[[ACC:.*]] = %arg3, %[[A:.*]] = %[[FIRST]]#0, %[[B:.*]] = %[[FIRST]]#1)
  %s:2 = scf.for %iv = %c0 to %k step %c16 iter_args(%ap = %p, %acc = %z) -> (tensor<32x16x!tt.ptr<f32>>, tensor<32x32xf32>) : i32 {
    %a = tt.load %ap : tensor<32x16x!tt.ptr<f32>>
    %left = arith.subi %k, %iv : i32
    %ls = tt.splat %left : i32 -> tensor<16x1xi32>
    %m1 = arith.cmpi slt, %rk, %ls : tensor<16x1xi32>
    %m = tt.broadcast %m1 : tensor<16x1xi1> -> tensor<16x32xi1>
    %ivs = tt.splat %iv : i32 -> tensor<16x32xi32>
    %bp = tt.addptr %q, %ivs : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %b = tt.load %bp, %m : tensor<16x32x!tt.ptr<f32>>
    %twice = arith.addf %a, %a : tensor<32x16xf32>
    // CHECK: %[[TWICE:.*]] = arith.addf %[[A]], %[[A]]
    // CHECK: %[[AFTER:.*]] = arith.addi %[[IV]], %c16_i32
    // CHECK: %[[ON:.*]] = arith.cmpi slt, %[[AFTER]], %arg2
    // CHECK: %[[NEXTIV:.*]] = arith.select %[[ON]], %[[AFTER]], %[[IV]]
    // CHECK: %[[NEXTSUM:.*]] = arith.select %[[ON]], %{{.*}}, %[[SUM]]
    // CHECK: tt.splat %[[NEXTSUM]]
    // CHECK: %[[NEXTA:.*]] = tt.load
    // CHECK: arith.subi %arg2, %[[NEXTIV]]
    // CHECK: %[[NEXTB:.*]] = tt.load
    // CHECK: %[[DOT:.*]] = tt.dot %[[TWICE]], %[[B]], %[[ACC]]
    %d = tt.dot %twice, %b, %acc : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
    %an = tt.addptr %ap, %by : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
    // CHECK: scf.yield %{{.*}}, %[[DOT]], %[[NEXTA]], %[[NEXTB]]
    scf.yield %an, %d : tensor<32x16x!tt.ptr<f32>>, tensor<32x32xf32>
  }
  tt.store %o, %s#1 : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// A loop that certainly runs needs no branch in front of it. Each load is ahead
// of the first product that it feeds, also through other operations.
// CHECK-LABEL: // 2 ahead
// CHECK-LABEL: @attention
tt.func public @attention(%q: tensor<16x16xf16>, %kp: tensor<16x16x!tt.ptr<f16>>, %vp: tensor<16x16x!tt.ptr<f16>>, %z: tensor<16x16xf32>, %o: tensor<16x16x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  // CHECK-NOT: scf.if
  // CHECK-COUNT-2: tt.load
  // CHECK: scf.for
  %s = scf.for %iv = %c0 to %c64 step %c16 iter_args(%acc = %z) -> (tensor<16x16xf32>) : i32 {
    %ivs = tt.splat %iv : i32 -> tensor<16x16xi32>
    %ka = tt.addptr %kp, %ivs : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    %k = tt.load %ka : tensor<16x16x!tt.ptr<f16>>
    %t = tt.trans %k {order = array<i32: 1, 0>} : tensor<16x16xf16> -> tensor<16x16xf16>
    // CHECK: tt.load
    // CHECK: tt.dot
    %x = tt.dot %q, %t, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %y = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xf16>
    %va = tt.addptr %vp, %ivs : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    %v = tt.load %va : tensor<16x16x!tt.ptr<f16>>
    // CHECK: tt.load
    // CHECK: tt.dot
    %d = tt.dot %y, %v, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %o, %s : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// Not if the loop stores, by whatever pointer.
// CHECK-LABEL: // 0 ahead
// CHECK-LABEL: @stores
tt.func public @stores(%p: tensor<16x16x!tt.ptr<f32>>, %o: tensor<16x16x!tt.ptr<f32>>, %z: tensor<16x16xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %iv = %c0 to %n step %c1 : i32 {
    %ivs = tt.splat %iv : i32 -> tensor<16x16xi32>
    %pa = tt.addptr %p, %ivs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a = tt.load %pa : tensor<16x16x!tt.ptr<f32>>
    %d = tt.dot %a, %a, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    tt.store %o, %d : tensor<16x16x!tt.ptr<f32>>
  }
  tt.return
}

// Nor those behind an assertion, which may keep them from memory that is not
// there.
// CHECK-LABEL: // 0 ahead
// CHECK-LABEL: @asserts
tt.func public @asserts(%p: tensor<16x16x!tt.ptr<f32>>, %o: tensor<16x16x!tt.ptr<f32>>, %z: tensor<16x16xf32>, %n: i32, %most: tensor<16x16xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %iv = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x16xf32>) : i32 {
    %ivs = tt.splat %iv : i32 -> tensor<16x16xi32>
    %inside = arith.cmpi slt, %ivs, %most : tensor<16x16xi32>
    tt.assert %inside, "outside" : tensor<16x16xi1>
    %pa = tt.addptr %p, %ivs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a = tt.load %pa : tensor<16x16x!tt.ptr<f32>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %o, %s : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// Nor volatile loads, nor those whose addresses, directly or through what the
// loop carries, were loaded in it.
// CHECK-LABEL: // 0 ahead
// CHECK-LABEL: @volatile
tt.func public @volatile(%p: tensor<16x16x!tt.ptr<f32>>, %o: tensor<16x16x!tt.ptr<f32>>, %z: tensor<16x16xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %iv = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x16xf32>) : i32 {
    %ivs = tt.splat %iv : i32 -> tensor<16x16xi32>
    %pa = tt.addptr %p, %ivs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a = tt.load %pa {isVolatile = true} : tensor<16x16x!tt.ptr<f32>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %o, %s : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: // 1 ahead
// CHECK-LABEL: @follows
tt.func public @follows(%p: tensor<16x16x!tt.ptr<f32>>, %list: !tt.ptr<i32>, %o: tensor<16x16x!tt.ptr<f32>>, %z: tensor<16x16xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s:3 = scf.for %iv = %c0 to %n step %c1 iter_args(%acc = %z, %at = %c0, %next = %c0) -> (tensor<16x16xf32>, i32, i32) : i32 {
    %link = tt.addptr %list, %at : !tt.ptr<i32>, i32
    %i = tt.load %link : !tt.ptr<i32>
    %is = tt.splat %i : i32 -> tensor<16x16xi32>
    %pa = tt.addptr %p, %is : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %a = tt.load %pa : tensor<16x16x!tt.ptr<f32>>
    %ns = tt.splat %next : i32 -> tensor<16x16xi32>
    %pn = tt.addptr %p, %ns : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %b = tt.load %pn : tensor<16x16x!tt.ptr<f32>>
    %ivs = tt.splat %iv : i32 -> tensor<16x16xi32>
    %pi = tt.addptr %p, %ivs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    // CHECK: tt.load
    // CHECK: scf.for
    // CHECK-SAME: tensor<16x16xf32>, i32, i32, tensor<16x16xf32>
    %c = tt.load %pi : tensor<16x16x!tt.ptr<f32>>
    %ab = arith.addf %a, %b : tensor<16x16xf32>
    %d = tt.dot %ab, %c, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %sum = arith.addi %next, %at : i32
    scf.yield %d, %i, %sum : tensor<16x16xf32>, i32, i32
  }
  tt.store %o, %s#0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
