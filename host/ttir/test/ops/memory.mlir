// Loads, stores and atomics print as Triton 3.6 prints them; the generic form
// and bytecode hold the same.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @load
tt.func public @load(%s: !tt.ptr<f32>, %p: tensor<32x!tt.ptr<f32>>,
                     %m: tensor<32xi1>, %o: tensor<32xf32>, %c: i1, %f: f32) {
  // CHECK: tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %s : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %s, %c, %f : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<32x!tt.ptr<f32>>
  %2 = tt.load %p, %m : tensor<32x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : tensor<32x!tt.ptr<f32>>
  %3 = tt.load %p, %m, %o evictionPolicy = evict_first cacheModifier = ca {isVolatile = true} : tensor<32x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}} {tt.contiguity = dense<32> : tensor<1xi32>} : tensor<32x!tt.ptr<f32>>
  %4 = tt.load %p {tt.contiguity = dense<32> : tensor<1xi32>} : tensor<32x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @store
tt.func @store(%p: tensor<32x!tt.ptr<f32>>, %v: tensor<32xf32>,
               %m: tensor<32xi1>) {
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<32x!tt.ptr<f32>>
  tt.store %p, %v : tensor<32x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wb : tensor<32x!tt.ptr<f32>>
  tt.store %p, %v, %m cacheModifier = wb : tensor<32x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} evictionPolicy = evict_last : tensor<32x!tt.ptr<f32>>
  tt.store %p, %v evictionPolicy = evict_last : tensor<32x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func @atomics
tt.func @atomics(%p: tensor<32x!tt.ptr<f32>>, %v: tensor<32xf32>,
                 %m: tensor<32xi1>, %s: !tt.ptr<i32>, %i: i32, %c: i1) {
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  // CHECK: tt.atomic_rmw umax, relaxed, sys, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw umax, relaxed, sys, %s, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw exch, release, cta, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i1) -> i32
  %2 = tt.atomic_rmw exch, release, cta, %s, %i, %c : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK: tt.atomic_cas acquire, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
  %3 = tt.atomic_cas acquire, gpu, %s, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// CHECK-LABEL: tt.func @address_spaces(
// CHECK-SAME: !tt.ptr<f32, 3>, %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<!tt.ptr<i1>>)
tt.func @address_spaces(%a: !tt.ptr<f32, 3>, %b: !tt.ptr<f32, 1>,
                        %c: !tt.ptr<!tt.ptr<i1>>) {
  tt.return
}
