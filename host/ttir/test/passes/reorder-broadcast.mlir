// Elementwise operations move before splat and broadcast.
// RUN: nereid-opt -triton-reorder-broadcast %s | FileCheck %s

// CHECK-LABEL: @splats
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i32)
tt.func @splats(%p: !tt.ptr<f32>, %i: i32) -> tensor<8x!tt.ptr<f32>> {
  // CHECK: %[[C:.*]] = arith.constant 3 : i32
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[C]] : i32
  // CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[SUM]] : !tt.ptr<f32>, i32
  // CHECK: %[[R:.*]] = tt.splat %[[Q]] : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %c = arith.constant dense<3> : tensor<8xi32>
  %0 = tt.splat %i : i32 -> tensor<8xi32>
  %1 = arith.addi %0, %c : tensor<8xi32>
  %2 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %3 = tt.addptr %2, %1 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: tt.return %[[R]]
  tt.return %3 : tensor<8x!tt.ptr<f32>>
}

// CHECK-LABEL: @broadcasts
// CHECK-SAME: (%[[X:.*]]: tensor<8x1xi32>, %[[S:.*]]: i32)
tt.func @broadcasts(%x: tensor<8x1xi32>, %s: i32) -> tensor<8x32xi1> {
  // CHECK: %[[T:.*]] = tt.splat %[[S]] : i32 -> tensor<8x1xi32>
  // CHECK: %[[C:.*]] = arith.cmpi slt, %[[X]], %[[T]] : tensor<8x1xi32>
  // CHECK: %[[R:.*]] = tt.broadcast %[[C]] : tensor<8x1xi1> -> tensor<8x32xi1>
  %0 = tt.broadcast %x : tensor<8x1xi32> -> tensor<8x32xi32>
  %1 = tt.splat %s : i32 -> tensor<8x32xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<8x32xi32>
  // CHECK: tt.return %[[R]]
  tt.return %2 : tensor<8x32xi1>
}

// A select on one scalar condition keeps it.
// CHECK-LABEL: @select
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: tensor<1x8xf32>)
tt.func @select(%c: i1, %x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<1x8xf32>
  // CHECK: arith.select %[[C]], %[[X]], %[[Z]] : tensor<1x8xf32>
  %z = arith.constant dense<0.0> : tensor<4x8xf32>
  %0 = tt.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = arith.select %c, %0, %z : tensor<4x8xf32>
  tt.return %1 : tensor<4x8xf32>
}

// Different sources, and operations that are not elementwise alone, stay.
// CHECK-LABEL: @stays
tt.func @stays(%x: tensor<8x1xf32>, %y: tensor<1x8xf32>, %s: i32) -> (tensor<8x8xf32>, tensor<8xi32>) {
  // CHECK: arith.addf %{{.*}} : tensor<8x8xf32>
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x8xf32>
  %1 = tt.broadcast %y : tensor<1x8xf32> -> tensor<8x8xf32>
  %2 = arith.addf %0, %1 : tensor<8x8xf32>
  // CHECK: tt.elementwise_inline_asm {{.*}} : tensor<8xi32> -> tensor<8xi32>
  %3 = tt.splat %s : i32 -> tensor<8xi32>
  %4 = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %3 : tensor<8xi32> -> tensor<8xi32>
  tt.return %2, %4 : tensor<8x8xf32>, tensor<8xi32>
}
