// Loops unroll by their factor; what remains becomes a loop without stages.
// RUN: nereid-opt -triton-loop-unroll -canonicalize %s | FileCheck %s

// CHECK-LABEL: @dynamic
tt.func @dynamic(%n: i32, %p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK: tt.store
  // CHECK-NOT: tt.store
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK-NOT: tt.store
  // CHECK: } {tt.num_stages = 1 : i32}
  // CHECK-NOT: tt.loop_unroll_factor
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// CHECK-LABEL: @once
tt.func @once(%n: i32, %p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK-NOT: scf.for
  // CHECK-NOT: tt.loop_unroll_factor
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return
}

// CHECK-LABEL: @constant
tt.func @constant(%p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  // CHECK-NOT: scf.for
  // CHECK-COUNT-4: tt.store
  // CHECK-NOT: tt.store
  scf.for %i = %zero to %four step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// Seven iterations in steps of two: one group of four, a rest of three.
// CHECK-LABEL: @rest
tt.func @rest(%p: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %end = arith.constant 13 : i32
  // CHECK-COUNT-4: tt.store
  // CHECK: scf.for %{{.*}} = %c8_i32 to %c13_i32 step %c2_i32
  // CHECK: tt.store
  // CHECK-NOT: tt.store
  scf.for %i = %zero to %end step %two : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}
