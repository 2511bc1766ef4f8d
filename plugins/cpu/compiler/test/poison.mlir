// A poison value becomes an arbitrary value, on scalars and on tiles.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK-DAG: freeze float poison
// CHECK-DAG: freeze i32 poison
// CHECK: store

tt.func public @poison(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>) {
  %x = ub.poison : i32
  tt.store %p, %x : !tt.ptr<i32>
  %y = ub.poison : tensor<64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %a, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
