// Tensor descriptors in the spelling of Triton 3.6 and 3.7.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @block
// CHECK-SAME: !tt.tensordesc<tensor<8x32xsi32>>
tt.func public @block(%p: !tt.ptr<f16>, %m: i32, %s: i64, %u: !tt.tensordesc<tensor<8x32xsi32>>) {
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <f16>, <tensor<8x32xf16>>
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] {padding = 2 : i32} : <f16>, <tensor<8x32xf16>>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<8x32xf16>>
  %1 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<8x32xf16>>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = cg : !tt.tensordesc<tensor<8x32xf16>> -> tensor<8x32xf16>
  %2 = tt.descriptor_load %0[%m, %m] cacheModifier = cg : !tt.tensordesc<tensor<8x32xf16>> -> tensor<8x32xf16>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<8x32xf16>>, tensor<8x32xf16>
  tt.descriptor_store %0[%m, %m], %2 : !tt.tensordesc<tensor<8x32xf16>>, tensor<8x32xf16>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<8x32xsi32>> -> tensor<8x32xi32>
  %3 = tt.descriptor_load %u[%m, %m] : !tt.tensordesc<tensor<8x32xsi32>> -> tensor<8x32xi32>
  // CHECK: tt.descriptor_reduce min, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<8x32xsi32>>, tensor<8x32xi32>
  tt.descriptor_reduce min, %u[%m, %m], %3 : !tt.tensordesc<tensor<8x32xsi32>>, tensor<8x32xi32>
  tt.return
}

// CHECK-LABEL: tt.func @rows
tt.func @rows(%d: !tt.tensordesc<tensor<1x32xf32>>, %r: tensor<8xi32>, %c: i32) {
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  %0 = tt.descriptor_gather %d[%r, %c] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32, tensor<8x32xf32>
  tt.descriptor_scatter %d[%r, %c], %0 : !tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32, tensor<8x32xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  %1 = tt.descriptor_load %d[%c, %c] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  tt.return
}
