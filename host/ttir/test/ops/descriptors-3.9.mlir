// Tensor descriptors in the spelling of Triton 3.8 and 3.9.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @block
// CHECK-SAME: !tt.tensordesc<8x16xsi32>
// CHECK-SAME: !tt.tensordesc<1x32xf32>
tt.func public @block(%p: !tt.ptr<f32>, %m: i32, %s: i64,
                      %u: !tt.tensordesc<8x16xsi32>,
                      %g: !tt.tensordesc<1x32xf32>, %r: tensor<8xi16>) {
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <f32>, <8x16xf32>
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] {padding = 2 : i32} : <f32>, <8x16xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  %1 = tt.descriptor_load %0[%m, %m] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : !tt.tensordesc<8x16xf32> -> tensor<8x16xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  %2 = tt.descriptor_load %u[%m, %m] : !tt.tensordesc<8x16xsi32> -> tensor<8x16xi32>
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<1x32xf32>, tensor<8xi16>, i32) -> tensor<8x32xf32>
  %3 = tt.descriptor_gather %g[%r, %m] : (!tt.tensordesc<1x32xf32>, tensor<8xi16>, i32) -> tensor<8x32xf32>
  tt.return
}
