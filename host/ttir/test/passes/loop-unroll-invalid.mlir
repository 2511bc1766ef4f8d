// A large factor is refused before anything is copied.
// RUN: not nereid-opt -split-input-file -triton-loop-unroll %s 2>&1 | FileCheck %s

// CHECK: error: unrolling this loop of 2 operations 1000000000 times makes more than 200000 operations
tt.func @large(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1000000000 : i32}
  tt.return
}

// -----

// The inner loop is unrolled first.
// CHECK: error: unrolling this loop of {{[0-9]+}} operations 1000 times makes more than 200000 operations
tt.func @nested(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    scf.for %j = %zero to %n step %one : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 1000 : i32}
  } {tt.loop_unroll_factor = 1000 : i32}
  tt.return
}

// -----

// Ten iterations do not make one group.
// CHECK-NOT: error
// CHECK: @few
tt.func @few(%p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  scf.for %i = %zero to %ten step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1000000000 : i32}
  tt.return
}
