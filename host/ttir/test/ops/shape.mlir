// Ranges and operations that move elements.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @shapes
tt.func public @shapes(%s: f32, %p: !tt.ptr<f32>, %one: tensor<1xi32>) {
  // CHECK: tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  // CHECK: tt.make_range {end = 0 : i32, start = -8 : i32} : tensor<8xi32>
  %1 = tt.make_range {end = 0 : i32, start = -8 : i32} : tensor<8xi32>
  // CHECK: tt.splat %{{.*}} : f32 -> tensor<8xf32>
  %2 = tt.splat %s : f32 -> tensor<8xf32>
  // CHECK: tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %3 = tt.splat %p : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  // CHECK: tt.unsplat %{{.*}} : tensor<1xi32>
  %4 = tt.unsplat %one : tensor<1xi32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %5 = tt.expand_dims %1 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x8xi32> -> tensor<4x8xi32>
  %6 = tt.broadcast %5 : tensor<1x8xi32> -> tensor<4x8xi32>
  // CHECK: tt.reshape %{{.*}} : tensor<4x8xi32> -> tensor<32xi32>
  %7 = tt.reshape %6 : tensor<4x8xi32> -> tensor<32xi32>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<4x8xi32> -> tensor<2x16xi32>
  %8 = tt.reshape %6 allow_reorder efficient_layout : tensor<4x8xi32> -> tensor<2x16xi32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  %9 = tt.trans %6 {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  tt.return
}

// CHECK-LABEL: tt.func @several
tt.func @several(%a: tensor<8xi32>, %b: tensor<32xf32>, %m: tensor<8xi1>) {
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %0 = tt.cat %a, %a : tensor<8xi32> -> tensor<16xi32>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<8x2xi32>
  %1 = tt.join %a, %a : tensor<8xi32> -> tensor<8x2xi32>
  // CHECK: tt.split %{{.*}} : tensor<8x2xi32> -> tensor<8xi32>
  %2, %3 = tt.split %1 : tensor<8x2xi32> -> tensor<8xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<32xf32>, tensor<8xi32>) -> tensor<8xf32>
  %4 = tt.gather %b[%a] {axis = 0 : i32} : (tensor<32xf32>, tensor<8xi32>) -> tensor<8xf32>
  // CHECK: tt.histogram %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %5 = tt.histogram %a : tensor<8xi32> -> tensor<16xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<16xi32>
  %6 = tt.histogram %a, %m : tensor<8xi32> -> tensor<16xi32>
  tt.return
}
