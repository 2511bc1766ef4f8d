// Branches of kernels become structured control flow for targets that need it:
// early returns, branches that join, loops, and loops with two entries.
// RUN: nereid-expand --structured %s | FileCheck %s
// RUN: nereid-expand %s | FileCheck %s --check-prefix=FREE

// FREE-COUNT-8: cf.

// CHECK-NOT: cf.
// CHECK-LABEL: tt.func public @early_return
// CHECK: scf.if
// CHECK: tt.store
// CHECK: tt.return
tt.func public @early_return(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %none = arith.cmpi sle, %n, %c0 : i32
  cf.cond_br %none, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: tt.func public @join
// CHECK: %[[X:.*]] = scf.if {{.*}} -> (i32)
// CHECK: tt.store %{{.*}}, %[[X]]
tt.func public @join(%p: !tt.ptr<i32>, %c: i1, %a: i32, %b: i32) {
  cf.cond_br %c, ^bb1(%a : i32), ^bb1(%b : i32)
^bb1(%x: i32):
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: tt.func public @loop
// CHECK: scf.while
// CHECK: tt.return
tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^bb1(%c0 : i32)
^bb1(%i: i32):
  %next = arith.addi %i, %c1 : i32
  tt.store %p, %next : !tt.ptr<i32>
  %more = arith.cmpi slt, %next, %n : i32
  cf.cond_br %more, ^bb1(%next : i32), ^bb2
^bb2:
  tt.return
}

// CHECK-LABEL: tt.func public @two_entries
// CHECK: scf.while
// CHECK-NOT: scf.index_switch
// CHECK: tt.return
tt.func public @two_entries(%p: !tt.ptr<i32>, %c: i1, %n: i32) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = arith.cmpi slt, %0, %n : i32
  cf.cond_br %1, ^bb2, ^bb3
^bb2:
  tt.store %p, %n : !tt.ptr<i32>
  cf.br ^bb1
^bb3:
  tt.return
}

// A loop with three exits: a switch becomes a chain of branches.
// CHECK-LABEL: tt.func public @three_exits
// CHECK: scf.while
// CHECK-NOT: scf.index_switch
// CHECK: arith.cmpi eq, {{.*}} : index
// CHECK: arith.cmpi eq, {{.*}} : index
// CHECK: tt.return
tt.func public @three_exits(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  cf.br ^bb1
^bb1:
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = arith.cmpi eq, %0, %c1 : i32
  cf.cond_br %1, ^bb4, ^bb2
^bb2:
  %2 = arith.cmpi eq, %0, %c2 : i32
  cf.cond_br %2, ^bb5, ^bb3
^bb3:
  %3 = arith.cmpi eq, %0, %c3 : i32
  cf.cond_br %3, ^bb6, ^bb1
^bb4:
  tt.store %p, %c1 : !tt.ptr<i32>
  tt.return
^bb5:
  tt.store %p, %c2 : !tt.ptr<i32>
  tt.return
^bb6:
  tt.store %p, %c3 : !tt.ptr<i32>
  tt.return
}
