// Control flow and attributes of other dialects, as Triton uses them.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

#licm = #llvm.loop_licm<disable = true>
#loop = #llvm.loop_annotation<licm = #licm>
// CHECK: #loop_licm = #llvm.loop_licm<disable = true>
// CHECK: #loop_annotation = #llvm.loop_annotation<licm = #loop_licm>

// CHECK-LABEL: tt.func public @flow
tt.func public @flow(%p: !tt.ptr<f32>, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (!tt.ptr<f32>)  : i32 {
  %0 = scf.for %i = %zero to %n step %one iter_args(%q = %p) -> (!tt.ptr<f32>) : i32 {
    %1 = tt.addptr %q, %i : !tt.ptr<f32>, i32
    scf.yield %1 : !tt.ptr<f32>
  // CHECK: } {llvm.loop_annotation = #loop_annotation, tt.num_stages = 3 : i32}
  } {llvm.loop_annotation = #loop, tt.num_stages = 3 : i32}
  // CHECK: scf.while
  %2 = scf.while (%i = %zero) : (i32) -> i32 {
    %3 = arith.cmpi slt, %i, %n : i32
    scf.condition(%3) %i : i32
  } do {
  ^bb0(%i: i32):
    %3 = arith.addi %i, %one : i32
    scf.yield %3 : i32
  }
  // CHECK: cf.cond_br
  cf.cond_br %c, ^bb1, ^bb2(%0 : !tt.ptr<f32>)
^bb1:
  tt.return
^bb2(%r: !tt.ptr<f32>):
  %4 = arith.constant 0x7FC00000 : f32
  // CHECK: tt.store
  tt.store %r, %4 : !tt.ptr<f32>
  tt.return
}
