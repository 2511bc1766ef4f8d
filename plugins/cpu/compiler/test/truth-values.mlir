// A truth value is a byte in memory and one bit in a register.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK: %[[BYTE:.*]] = load i8
// CHECK: %[[FIRST:.*]] = icmp ne i8 %[[BYTE]], 0
// CHECK: br i1 %[[FIRST]]
// CHECK: %[[MASKED:.*]] = load i8
// CHECK: icmp ne i8 %[[MASKED]], 0
tt.func public @kernel(%p: !tt.ptr<f32>, %q: !tt.ptr<i1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %m = arith.cmpi sgt, %n, %c0 : i32
  %t = tt.load %q : !tt.ptr<i1>
  scf.if %t {
    %c = arith.constant 1.0 : f32
    tt.store %p, %c : !tt.ptr<f32>
  }
  %u = tt.load %q, %m, %true : !tt.ptr<i1>
  scf.if %u {
    %c = arith.constant 2.0 : f32
    tt.store %p, %c : !tt.ptr<f32>
  }
  tt.return
}
