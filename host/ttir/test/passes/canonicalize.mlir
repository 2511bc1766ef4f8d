// Folds and canonical forms of the dialect.
// RUN: nereid-opt -canonicalize %s | FileCheck %s

// CHECK-LABEL: @masks
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[O:.*]]: tensor<8xf32>)
tt.func @masks(%p: tensor<8x!tt.ptr<f32>>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  // CHECK: %[[FALSE:.*]] = arith.constant dense<false>
  // CHECK: %[[A:.*]] = tt.load %[[P]] cacheModifier = cg : tensor
  %0 = tt.load %p, %true, %o cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %false, %o : tensor<8x!tt.ptr<f32>>
  // CHECK: %[[C:.*]] = tt.load %[[P]], %[[FALSE]] : tensor
  %2 = tt.load %p, %false : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %[[P]], %[[O]] : tensor
  // CHECK-NOT: tt.store
  tt.store %p, %o, %true : tensor<8x!tt.ptr<f32>>
  tt.store %p, %o, %false : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.atomic_store relaxed, gpu, %[[P]], %[[O]] : tensor
  // CHECK-NOT: tt.atomic_store
  tt.atomic_store relaxed, gpu, %p, %o, %true : tensor<8x!tt.ptr<f32>>
  tt.atomic_store relaxed, gpu, %p, %o, %false : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.return %[[A]], %[[O]], %[[C]]
  tt.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @unused_loads
tt.func @unused_loads(%p: !tt.ptr<f32>) {
  // CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
  // CHECK-NEXT: tt.return
  %0 = tt.load %p : !tt.ptr<f32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @constants
tt.func @constants() -> (tensor<1xi32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x1x8xf32>) {
  // CHECK-DAG: arith.constant dense<7> : tensor<1xi32>
  %0 = tt.make_range {end = 8 : i32, start = 7 : i32} : tensor<1xi32>
  %s = arith.constant 1.0 : f32
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4x8xf32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<8x4xf32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<32xf32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4x1x8xf32>
  // CHECK-NOT: tt.{{splat|broadcast|trans|reshape|expand_dims}}
  %1 = tt.splat %s : f32 -> tensor<1x8xf32>
  %2 = tt.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %4 = tt.reshape %2 : tensor<4x8xf32> -> tensor<32xf32>
  %5 = tt.expand_dims %2 {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  tt.return %0, %2, %3, %4, %5 : tensor<1xi32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x1x8xf32>
}

// CHECK-LABEL: @splats
// CHECK-SAME: (%[[S:.*]]: f32)
tt.func @splats(%s: f32) -> (tensor<4x8xf32>, tensor<32xf32>, f32) {
  %0 = tt.splat %s : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK-DAG: %[[A:.*]] = tt.splat %[[S]] : f32 -> tensor<4x8xf32>
  %2 = tt.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[B:.*]] = tt.splat %[[S]] : f32 -> tensor<32xf32>
  %3 = tt.reshape %2 : tensor<4x8xf32> -> tensor<32xf32>
  %4 = tt.splat %s : f32 -> tensor<1xf32>
  %5 = tt.unsplat %4 : tensor<1xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[S]]
  tt.return %2, %3, %5 : tensor<4x8xf32>, tensor<32xf32>, f32
}

// CHECK-LABEL: @chains
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<1x8xf32>)
tt.func @chains(%x: tensor<4x8xf32>, %v: tensor<1x8xf32>) -> (tensor<2x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1x8xf32>) {
  // CHECK-DAG: %[[A:.*]] = tt.reshape %[[X]] allow_reorder : tensor<4x8xf32> -> tensor<2x16xf32>
  %0 = tt.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tt.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  %2 = tt.trans %x {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %4 = tt.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[E:.*]] = tt.expand_dims %[[V]] {axis = 1 : i32} : tensor<1x8xf32> -> tensor<1x1x8xf32>
  // CHECK-DAG: %[[B:.*]] = tt.broadcast %[[E]] : tensor<1x1x8xf32> -> tensor<4x1x8xf32>
  %5 = tt.broadcast %v : tensor<1x8xf32> -> tensor<4x8xf32>
  %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  // CHECK: tt.return %[[A]], %[[X]], %[[X]], %[[B]]
  tt.return %1, %3, %4, %6 : tensor<2x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1x8xf32>
}

// Composing permutations: dimension i of the result is order[i] of the source.
// CHECK-LABEL: @permutations
tt.func @permutations(%x: tensor<2x4x8xf32>) -> tensor<4x8x2xf32> {
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %0 = tt.trans %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 2, 0, 1>} : tensor<8x2x4xf32> -> tensor<4x8x2xf32>
  tt.return %1 : tensor<4x8x2xf32>
}

// CHECK-LABEL: @pointers
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[B:.*]]: !tt.ptr<tensor<8xf32>>, %[[I:.*]]: i64)
tt.func @pointers(%p: !tt.ptr<f32>, %b: !tt.ptr<tensor<8xf32>>, %i: i64) -> (!tt.ptr<f32>, !tt.ptr<tensor<8xf32>>, i64, !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %0 = tt.addptr %p, %zero : !tt.ptr<f32>, i32
  %1 = tt.advance %b, [%zero] : <tensor<8xf32>>
  %2 = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %3 = tt.ptr_to_int %2 : !tt.ptr<f32> -> i64
  %4 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  %5 = tt.bitcast %4 : !tt.ptr<i8> -> !tt.ptr<f32>
  // CHECK: tt.return %[[P]], %[[B]], %[[I]], %[[P]]
  tt.return %0, %1, %3, %5 : !tt.ptr<f32>, !tt.ptr<tensor<8xf32>>, i64, !tt.ptr<f32>
}

// CHECK-LABEL: @floats
// CHECK-SAME: (%[[X:.*]]: f32)
tt.func @floats(%x: f32) -> (f32, tensor<8xf8E5M2>, f16) {
  %0 = tt.fp_to_fp %x : f32 -> f32
  // CHECK-DAG: %[[Z:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf8E5M2>
  %z = arith.constant dense<-0.0> : tensor<8xf32>
  %1 = tt.fp_to_fp %z, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK-DAG: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f16
  %c = arith.constant 3.0 : f32
  %2 = tt.fp_to_fp %c, rounding = rtne : f32 -> f16
  // CHECK: tt.return %[[X]], %[[Z]]
  tt.return %0, %1, %2 : f32, tensor<8xf8E5M2>, f16
}

// CHECK-LABEL: @halves
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[J:.*]]: tensor<8x2xf32>)
tt.func @halves(%a: tensor<8xf32>, %b: tensor<8xf32>, %j: tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>) {
  %0 = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  %3, %4 = tt.split %j : tensor<8x2xf32> -> tensor<8xf32>
  %5 = tt.join %3, %4 : tensor<8xf32> -> tensor<8x2xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[J]]
  tt.return %1, %2, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>
}
