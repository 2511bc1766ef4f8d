// The kernel's own arithmetic may be contracted, if enabled; expansions never.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --no-fusion %s | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: tt.func @own
// CHECK-NEXT: arith.mulf {{.*}} fastmath<contract> : f32
// CHECK-NEXT: arith.addf {{.*}} fastmath<contract> : f32
// EXACT-LABEL: tt.func @own
// EXACT-NOT: fastmath
tt.func @own(%x: f32, %y: f32) -> f32 {
  %0 = arith.mulf %x, %y : f32
  %1 = arith.addf %0, %y : f32
  tt.return %1 : f32
}

// CHECK-LABEL: tt.func @expanded
// CHECK-NOT: fastmath
// CHECK: tt.return
tt.func @expanded(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  tt.return %0 : f32
}
