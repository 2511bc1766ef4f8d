// Memory operations and hints in the spelling of Triton 3.9.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @hints
tt.func public @hints(%p: tensor<16x!tt.ptr<f32>>, %m: tensor<16xi1>,
                      %o: tensor<16xf32>) {
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : tensor<16x!tt.ptr<f32>>
  %0 = tt.load %p, %m, %o {cachePolicy = #tt.cache_policy<eviction_policy = evict_last, cache_modifier = cg>, isVolatile = true} : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_normal>} : tensor<16x!tt.ptr<f32>>
  tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_normal>} : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>, ignore_cta} : tensor<16x!tt.ptr<f32>>
  tt.store %p, %0 {ignore_cta, cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {ignore_cta} : tensor<16x!tt.ptr<f32>>
  tt.store %p, %0 {ignore_cta} : tensor<16x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @constants
// CHECK-SAME: !tt.ptr<f32, "constant">
// CHECK-SAME: tensor<16x!tt.ptr<f32, "constant">>
// CHECK-SAME: !tt.ptr<f32>)
tt.func @constants(%s: !tt.ptr<f32, "constant">,
                   %p: tensor<16x!tt.ptr<f32, "constant">>,
                   %g: !tt.ptr<f32, "global">) {
  // CHECK: tt.load %{{.*}} : tensor<16x!tt.ptr<f32, "constant">>
  %0 = tt.load %p : tensor<16x!tt.ptr<f32, "constant">>
  tt.return
}

// CHECK-LABEL: tt.func @atomics
tt.func @atomics(%p: tensor<16x!tt.ptr<i32>>, %v: tensor<16xi32>,
                 %m: tensor<16xi1>, %s: !tt.ptr<i32>, %i: i32, %t: i64) {
  // CHECK: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<16x!tt.ptr<i32>>, tensor<16xi1>) -> tensor<16xi32>
  %0 = tt.atomic_load acquire, gpu, %p, %m : (tensor<16x!tt.ptr<i32>>, tensor<16xi1>) -> tensor<16xi32>
  // CHECK: tt.atomic_load relaxed, gpu, %{{.*}} : (!tt.ptr<i32>) -> i32
  %1 = tt.atomic_load relaxed, gpu, %s : (!tt.ptr<i32>) -> i32
  // CHECK: tt.atomic_store release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<i32>>
  tt.atomic_store release, gpu, %p, %v, %m : tensor<16x!tt.ptr<i32>>
  // CHECK: tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} timeout %{{.*}} : tensor<16x!tt.ptr<i32>>, tensor<16xi32> -> tensor<16xi1>
  %2 = tt.atomic_poll acquire, gpu, %p, %v timeout %t : tensor<16x!tt.ptr<i32>>, tensor<16xi32> -> tensor<16xi1>
  // CHECK: tt.atomic_poll relaxed, sys, %{{.*}}, %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %3 = tt.atomic_poll relaxed, sys, %s, %i : !tt.ptr<i32>, i32 -> i1
  // CHECK: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  tt.return
}
