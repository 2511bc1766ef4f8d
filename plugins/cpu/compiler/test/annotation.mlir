// An annotation that disables loop-invariant code motion is passed to LLVM.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK: br label %for, !llvm.loop ![[LOOP:[0-9]+]]
// CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[OPTION:[0-9]+]]}
// CHECK: ![[OPTION]] = !{!"llvm.licm.disable"}

#licm = #llvm.loop_licm<disable = true>
#annotation = #llvm.loop_annotation<licm = #licm>
tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {llvm.loop_annotation = #annotation}
  tt.return
}
