// Functions that each call the next one twice: the size after inlining is
// limited, also for noinline functions.
// RUN: not nereid-expand %s 2>&1 | FileCheck %s

// CHECK: calls-limit.mlir":{{.*}}): error: @f{{[0-9]+}} has more than 200000 operations once its calls are inlined
tt.func public @kernel() {
  tt.call @f0() : () -> ()
  tt.return
}
tt.func private @f0() attributes {noinline = true} {
  tt.call @f1() : () -> ()
  tt.call @f1() : () -> ()
  tt.return
}
tt.func private @f1() attributes {noinline = true} {
  tt.call @f2() : () -> ()
  tt.call @f2() : () -> ()
  tt.return
}
tt.func private @f2() attributes {noinline = true} {
  tt.call @f3() : () -> ()
  tt.call @f3() : () -> ()
  tt.return
}
tt.func private @f3() attributes {noinline = true} {
  tt.call @f4() : () -> ()
  tt.call @f4() : () -> ()
  tt.return
}
tt.func private @f4() attributes {noinline = true} {
  tt.call @f5() : () -> ()
  tt.call @f5() : () -> ()
  tt.return
}
tt.func private @f5() attributes {noinline = true} {
  tt.call @f6() : () -> ()
  tt.call @f6() : () -> ()
  tt.return
}
tt.func private @f6() attributes {noinline = true} {
  tt.call @f7() : () -> ()
  tt.call @f7() : () -> ()
  tt.return
}
tt.func private @f7() attributes {noinline = true} {
  tt.call @f8() : () -> ()
  tt.call @f8() : () -> ()
  tt.return
}
tt.func private @f8() attributes {noinline = true} {
  tt.call @f9() : () -> ()
  tt.call @f9() : () -> ()
  tt.return
}
tt.func private @f9() attributes {noinline = true} {
  tt.call @f10() : () -> ()
  tt.call @f10() : () -> ()
  tt.return
}
tt.func private @f10() attributes {noinline = true} {
  tt.call @f11() : () -> ()
  tt.call @f11() : () -> ()
  tt.return
}
tt.func private @f11() attributes {noinline = true} {
  tt.call @f12() : () -> ()
  tt.call @f12() : () -> ()
  tt.return
}
tt.func private @f12() attributes {noinline = true} {
  tt.call @f13() : () -> ()
  tt.call @f13() : () -> ()
  tt.return
}
tt.func private @f13() attributes {noinline = true} {
  tt.call @f14() : () -> ()
  tt.call @f14() : () -> ()
  tt.return
}
tt.func private @f14() attributes {noinline = true} {
  tt.call @f15() : () -> ()
  tt.call @f15() : () -> ()
  tt.return
}
tt.func private @f15() attributes {noinline = true} {
  tt.call @f16() : () -> ()
  tt.call @f16() : () -> ()
  tt.return
}
tt.func private @f16() attributes {noinline = true} {
  tt.call @f17() : () -> ()
  tt.call @f17() : () -> ()
  tt.return
}
tt.func private @f17() attributes {noinline = true} {
  tt.call @f18() : () -> ()
  tt.call @f18() : () -> ()
  tt.return
}
tt.func private @f18() attributes {noinline = true} {
  tt.call @f19() : () -> ()
  tt.call @f19() : () -> ()
  tt.return
}
tt.func private @f19() attributes {noinline = true} {
  tt.call @f20() : () -> ()
  tt.call @f20() : () -> ()
  tt.return
}
tt.func private @f20() attributes {noinline = true} {
  gpu.barrier
  tt.return
}
