// Along one of five axes an offset that does not wrap is contiguous.
// RUN: nereid run %s --target cpu --grid 1 i64[2]=zeros -O fast_paths=none --save 0=%t.npy
// RUN: nereid run %s --target cpu --grid 1 i64[2]=zeros --expect 0=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK: pieces of %{{.*}}, contiguous
tt.func public @five_axes(%p: !tt.ptr<i64>) {
  %i = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %axis = tt.reshape %i : tensor<2xi32> -> tensor<1x1x1x2x1xi32>
  %four = arith.constant dense<4> : tensor<1x1x1x2x1xi32>
  %rest = arith.remsi %axis, %four : tensor<1x1x1x2x1xi32>
  %to = tt.splat %p : !tt.ptr<i64> -> tensor<1x1x1x2x1x!tt.ptr<i64>>
  %a = tt.addptr %to, %rest : tensor<1x1x1x2x1x!tt.ptr<i64>>, tensor<1x1x1x2x1xi32>
  %v = arith.constant dense<-2> : tensor<1x1x1x2x1xi64>
  tt.store %a, %v : tensor<1x1x1x2x1x!tt.ptr<i64>>
  tt.return
}
