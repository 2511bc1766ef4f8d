// For atomic additions that no target does, the module gets the addition.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --f16-arithmetic %s | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL: tt.func @add
// CHECK: tt.atomic_rmw fadd
tt.func @add(%p: tensor<16x!tt.ptr<f16>>, %x: tensor<16xf16>) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x
      : (tensor<16x!tt.ptr<f16>>, tensor<16xf16>) -> tensor<16xf16>
  tt.return
}

// CHECK-NOT: nereid.add.f32
tt.func @wide(%p: !tt.ptr<f32>, %x: f32) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// CHECK: tt.func private @nereid.add.f16(%arg0: f16, %arg1: f16) -> f16
// CHECK-COUNT-2: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf
// NATIVE: tt.func private @nereid.add.f16
// NATIVE: arith.addf {{.*}} : f16
