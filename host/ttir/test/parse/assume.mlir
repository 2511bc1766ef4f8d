// Only the operation is translated: its name in strings, in comments and in the
// generic form stays.
// RUN: nereid-opt %s | FileCheck %s

// CHECK-LABEL: @names
tt.func public @names(%c: i1) {
  // CHECK: tt.print "llvm.intr.assume %c : i1"
  tt.print "llvm.intr.assume %c : i1" {hex = false, isSigned = array<i32>}
  // CHECK: llvm.intr.assume %{{.*}} : i1
  "llvm.intr.assume"(%c) : (i1) -> ()
  // CHECK: llvm.intr.assume %{{.*}} {hint} : i1
  llvm.intr.assume %c {hint} : i1
  tt.return
}
