// Neighbouring operations that become one, and those that must not.
// RUN: nereid-opt -triton-combine %s | FileCheck %s

// CHECK-LABEL: @dot
// CHECK-SAME: (%[[A:.*]]: tensor<16x16xf32>, %[[B:.*]]: tensor<16x16xf32>, %[[C:.*]]: tensor<16x16xf32>)
tt.func @dot(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]], inputPrecision = tf32
  %0 = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = arith.addf %c, %0 : tensor<16x16xf32>
  // Used twice: the sum stays.
  // CHECK: %[[E:.*]] = tt.dot
  // CHECK-NEXT: %[[F:.*]] = arith.addf %[[E]], %[[C]]
  %2 = tt.dot %a, %b, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %3 = arith.addf %2, %c : tensor<16x16xf32>
  // CHECK: tt.return %[[D]], %[[F]], %[[E]]
  tt.return %1, %3, %2 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// Imprecise partial sums must not take in what was added at full precision.
// CHECK-LABEL: @imprecise
tt.func @imprecise(%a: tensor<16x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: tt.dot
  // CHECK: arith.addf
  %0 = tt.dot %a, %a, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}

// CHECK-LABEL: @dot_scaled
// CHECK-SAME: %[[C:[^ ]*]]: tensor<16x16xf32>)
tt.func @dot_scaled(%a: tensor<16x64xf8E5M2>, %b: tensor<64x16xf8E5M2>, %s: tensor<16x2xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %[[C]] lhs
  // CHECK-NOT: arith.addf
  %0 = tt.dot_scaled %a scale %s, %b, %zero lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E5M2>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}

// CHECK-LABEL: @offsets
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i64, %[[J:.*]]: i64, %{{.*}}: i32)
tt.func @offsets(%p: !tt.ptr<f32>, %i: i64, %j: i64, %k: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) {
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[J]] : i64
  // CHECK: %[[A:.*]] = tt.addptr %[[P]], %[[SUM]] {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %1 = tt.addptr %0, %j {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  // Two i32 offsets may exceed i32 in sum.
  // CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[K:.*]] : !tt.ptr<f32>, i32
  // CHECK: %[[B:.*]] = tt.addptr %[[Q]], %[[K]] : !tt.ptr<f32>, i32
  %2 = tt.addptr %p, %k : !tt.ptr<f32>, i32
  %3 = tt.addptr %2, %k : !tt.ptr<f32>, i32
  // CHECK: %[[C:.*]] = tt.addptr %[[P]], %c7_i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %4 = tt.addptr %p, %c3 : !tt.ptr<f32>, i32
  %5 = tt.addptr %4, %c4 : !tt.ptr<f32>, i32
  // CHECK: tt.addptr
  // CHECK: %[[D:.*]] = tt.addptr
  %max = arith.constant 2147483647 : i32
  %6 = tt.addptr %p, %max : !tt.ptr<f32>, i32
  %7 = tt.addptr %6, %c3 : !tt.ptr<f32>, i32
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[D]]
  tt.return %1, %3, %5, %7 : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
}

// CHECK-LABEL: @select
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[C:.*]]: i1, %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
tt.func @select(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %mask = tt.splat %c : i1 -> tensor<8xi1>
  // CHECK: %[[A:.*]] = tt.load %[[P]], %{{.*}}, %[[Y]] cacheModifier = ca : tensor
  // CHECK-NOT: arith.select
  %0 = tt.load %p, %mask, %x cacheModifier = ca : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %c, %0, %y : tensor<8xf32>
  // A write between the two: the load must not move over it.
  // CHECK: tt.load
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: arith.select
  %2 = tt.load %p, %mask, %x : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %c, %2, %y : tensor<8xf32>
  tt.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @reshapes
tt.func @reshapes(%x: tensor<4x8xf32>, %d: !tt.tensordesc<tensor<1x32xf32>>, %i: i32) -> (f32, tensor<32xf32>, tensor<32xf32>) {
  // CHECK: tt.reshape %{{.*}} allow_reorder
  %0 = tt.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32xf32>) -> f32
  // CHECK: tt.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %2 = tt.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tt.descriptor_load %{{.*}} : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  // CHECK-NOT: tt.reshape
  %3 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<1x32xf32>
  %4 = tt.reshape %3 : tensor<1x32xf32> -> tensor<32xf32>
  tt.return %1, %2, %4 : f32, tensor<32xf32>, tensor<32xf32>
}

// A sum of products stays a sum of products.
// CHECK-LABEL: @no_dot_from_reduce
tt.func @no_dot_from_reduce(%x: tensor<16x16x16xf32>) -> tensor<16x16xf32> {
  // CHECK-NOT: tt.dot
  %0 = arith.mulf %x, %x : tensor<16x16x16xf32>
  // CHECK: tt.reduce
  %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16x16x16xf32>) -> tensor<16x16xf32>
  tt.return %1 : tensor<16x16xf32>
}
