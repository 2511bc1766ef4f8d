// A tile that is joined with itself is broadcast; joins of others stay.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: @joins(
// CHECK-SAME: %[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>
// CHECK: %[[WIDE:.*]] = tt.expand_dims %[[A]] {axis = 1 : i32}
// CHECK: %[[TWICE:.*]] = tt.broadcast %[[WIDE]] : tensor<4x1xi32> -> tensor<4x2xi32>
// CHECK: %[[BOTH:.*]] = tt.join %[[A]], %[[B]]
// CHECK: return %[[TWICE]], %[[BOTH]]
tt.func @joins(%a: tensor<4xi32>, %b: tensor<4xi32>)
    -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %twice = tt.join %a, %a : tensor<4xi32> -> tensor<4x2xi32>
  %both = tt.join %a, %b : tensor<4xi32> -> tensor<4x2xi32>
  tt.return %twice, %both : tensor<4x2xi32>, tensor<4x2xi32>
}
