// A recursive function cannot be inlined.
// RUN: not nereid-expand %s 2>&1 | FileCheck %s

// CHECK: calls-invalid.mlir":[[#@LINE + 2]]:8): error: 'tt.call' op calls 'forever', which calls itself: recursion is not supported
tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
  %0 = tt.call @forever(%n) : (i32) -> i32
  tt.store %p, %0 : !tt.ptr<i32>
  tt.return
}

tt.func private @forever(%x: i32) -> i32 {
  %0 = tt.call @forever(%x) : (i32) -> i32
  tt.return %0 : i32
}
