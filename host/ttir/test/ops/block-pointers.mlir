// Block pointers of Triton 3.6 and 3.7; the short and the full type both parse.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @block
tt.func public @block(%p: !tt.ptr<f32>, %m: i64, %s: i64, %i: i32) {
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %0 = tt.make_tensor_ptr %p, [%m, %m], [%s, %s], [%i, %i] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<8x4xf32>>
  %1 = tt.advance %0, [%i, %i] : !tt.ptr<tensor<8x4xf32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<8x4xf32>>
  %2 = tt.load %1 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<8x4xf32>>
  // CHECK: tt.load %{{.*}} cacheModifier = cg {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x4xf32>>
  %3 = tt.load %1 cacheModifier = cg {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x4xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8x4xf32>>
  tt.store %1, %2 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8x4xf32>>
  tt.return
}
