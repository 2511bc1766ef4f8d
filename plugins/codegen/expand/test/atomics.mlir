// For atomic operations that the target lacks, the module gets functions that
// compute the stored values, for a compare-and-swap loop.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --f16-arithmetic %s | FileCheck %s --check-prefix=NATIVE
// RUN: nereid-expand --no-atomics %s | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: tt.func @add
// CHECK: tt.atomic_rmw fadd
tt.func @add(%p: tensor<16x!tt.ptr<f16>>, %x: tensor<16xf16>) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x
      : (tensor<16x!tt.ptr<f16>>, tensor<16xf16>) -> tensor<16xf16>
  tt.return
}

// CHECK-NOT: nereid.atomic.fadd.f32
tt.func @wide(%p: !tt.ptr<f32>, %x: f32) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// CHECK: tt.func private @nereid.atomic.fadd.f16(%arg0: f16, %arg1: f16) -> f16
// CHECK-COUNT-2: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf
// NATIVE: tt.func private @nereid.atomic.fadd.f16
// NATIVE: arith.addf {{.*}} : f16

// One function per kind and type, none for operations that the target has.
// CHECK-NOT: nereid.atomic.
// NONE: tt.func private @nereid.atomic.fadd.f16
// NONE: tt.func private @nereid.atomic.fadd.f32(%arg0: f32, %arg1: f32) -> f32
// NONE: arith.addf
// NONE: tt.func private @nereid.atomic.umin.i32
// NONE: arith.minui
// NONE: tt.func private @nereid.atomic.exch.i64(%arg0: i64, %arg1: i64)
// NONE-NEXT: tt.return %arg1
// NONE-NOT: tt.func
tt.func @integers(%p: !tt.ptr<i32>, %x: i32, %q: tensor<4x!tt.ptr<i64>>,
                  %y: tensor<4xi64>) {
  %0 = tt.atomic_rmw umin, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw umin, relaxed, gpu, %p, %0 : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw exch, relaxed, gpu, %q, %y
      : (tensor<4x!tt.ptr<i64>>, tensor<4xi64>) -> tensor<4xi64>
  tt.return
}
