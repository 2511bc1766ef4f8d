// Maps without branches are operations on tensors; packs are unpacked.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: tt.func @straight
// CHECK-NOT: tt.map_elementwise
// CHECK: arith.muli {{.*}} : tensor<16xi32>
// CHECK: tt.splat {{.*}} : i32 -> tensor<16xi32>
// CHECK: arith.addi {{.*}} : tensor<16xi32>
tt.func @straight(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %0 = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c1 = arith.constant 1 : i32
    %p = arith.muli %a, %b : i32
    %s = arith.addi %p, %c1 : i32
    tt.map_elementwise.return %s : i32
  }) : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  tt.return %0 : tensor<16xi32>
}

// Both of a pair come from one split, and go into one join.
// CHECK-LABEL: tt.func @pack
// CHECK: %[[FIRST:.*]], %[[SECOND:.*]] = tt.split
// CHECK: %[[SUM:.*]] = arith.addi %[[FIRST]], %[[SECOND]] : tensor<8xi32>
// CHECK: tt.join %[[SUM]], %[[SECOND]]
tt.func @pack(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.map_elementwise.return %s, %b : i32, i32
  }) : (tensor<4x4xi32>) -> tensor<4x4xi32>
  tt.return %0 : tensor<4x4xi32>
}

// A branch remains, per element.
// CHECK-LABEL: tt.func @branch
// CHECK: "tt.map_elementwise"(%arg0) <{pack = 1 : i32}>
// CHECK: cf.cond_br
tt.func @branch(%x: tensor<16xi32>) -> tensor<16xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi slt, %a, %c0 : i32
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %c0 : i32
  ^bb2:
    tt.map_elementwise.return %a : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  tt.return %0 : tensor<16xi32>
}
