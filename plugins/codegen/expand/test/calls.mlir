// Calls are inlined, also of functions with several returns inside a loop.
// No call remains.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: cf.cond_br
// CHECK: tt.return
tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (i32) : i32 {
    %y = tt.call @limit(%x, %i) : (i32, i32) -> i32
    scf.yield %y : i32
  }
  tt.store %p, %s : !tt.ptr<i32>
  tt.return
}

tt.func private @limit(%x: i32, %i: i32) -> i32 attributes {noinline = true} {
  %c10 = arith.constant 10 : i32
  %large = arith.cmpi sgt, %x, %c10 : i32
  cf.cond_br %large, ^bb1, ^bb2
^bb1:
  tt.return %c10 : i32
^bb2:
  %sum = arith.addi %x, %i : i32
  tt.return %sum : i32
}
