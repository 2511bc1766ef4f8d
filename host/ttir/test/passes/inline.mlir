// Calls go, unless the callee is marked, or has several blocks where one fits.
// RUN: nereid-opt -inline -symbol-dce %s | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
tt.func public @kernel(%n: i32, %p: !tt.ptr<i32>, %c: i1) {
  // CHECK-NOT: tt.call @single
  %0 = tt.call @single(%n) : (i32) -> i32
  // CHECK: cf.cond_br
  %1 = tt.call @several(%0, %c) : (i32, i1) -> i32
  // CHECK: tt.call @kept
  %2 = tt.call @kept(%1) : (i32) -> i32
  // CHECK: tt.store
  tt.store %p, %2 : !tt.ptr<i32>
  // CHECK: scf.if
  scf.if %c {
    // CHECK: tt.call @several
    %3 = tt.call @several(%0, %c) : (i32, i1) -> i32
    tt.store %p, %3 : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-NOT: tt.func private @single
tt.func private @single(%x: i32) -> i32 attributes {noinline = false} {
  %0 = arith.addi %x, %x : i32
  tt.return %0 : i32
}

// CHECK: tt.func private @several
tt.func private @several(%x: i32, %c: i1) -> i32 attributes {noinline = false} {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : i32
^bb2:
  %0 = arith.muli %x, %x : i32
  tt.return %0 : i32
}

// CHECK: tt.func private @kept
tt.func private @kept(%x: i32) -> i32 attributes {noinline = true} {
  tt.return %x : i32
}
