// A combine region with branches or effects runs on one element at a time; one
// without runs on vectors.
// RUN: nereid compile %s --target cpu -O vector_bits=256 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ASSERT

// The message of an assertion begins with its place.
// ASSERT: c"kernel.py:7: overflow\00"

// CHECK: nest [256] axis 0 lanes 1 unroll
// CHECK: reduce %[[X:.*]] ->
// CHECK: nest [256] axis 0 lanes 8
// CHECK-NEXT: reduce %[[X]] ->

tt.func public @sums(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %x = tt.load %a : tensor<256x!tt.ptr<i32>>
  %checked = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%b: i32, %c: i32):
    %c100 = arith.constant 100 : i32
    %d = arith.addi %b, %c : i32
    %small = arith.cmpi slt, %d, %c100 : i32
    tt.assert %small, "overflow" : i1 loc("kernel.py":7:5)
    tt.reduce.return %d : i32
  }) : (tensor<256xi32>) -> i32
  tt.store %q, %checked : !tt.ptr<i32>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%b: i32, %c: i32):
    %d = arith.addi %b, %c : i32
    tt.reduce.return %d : i32
  }) : (tensor<256xi32>) -> i32
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}
