// Where columns are reduced, vector by vector, a function of each row's number would
// be computed for every vector of the row, element by element: it is computed before,
// in vectors, for all rows. A cheap one is not.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// CHECK:      nest [64x1] axis 0 lanes 16
// CHECK-NEXT: materialize
// CHECK-NOT:  nest [64x1]
// CHECK:      nest [64x128] axis 1 lanes 16 unroll {{.*}}
// CHECK-NEXT: reduce
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[8192]=random:1 f32[64]=random:2 f32[128]=zeros
// RUN: %{run} -O fast_paths=none --save 2=%t.npy
// RUN: %{run} --expect 2=%t.npy,1e-5,1e-5

tt.func public @kernel(%p: !tt.ptr<f32>, %decays: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %d0 = tt.splat %decays : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %dp = tt.addptr %d0, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %decay = tt.load %dp : tensor<64x!tt.ptr<f32>>
  %d1 = tt.expand_dims %decay {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %e = math.exp %d1 : tensor<64x1xf32>
  %factors = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x128xf32>
  %twice = arith.addf %d1, %d1 : tensor<64x1xf32>
  %terms = tt.broadcast %twice : tensor<64x1xf32> -> tensor<64x128xf32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitch = arith.constant dense<128> : tensor<64x1xi32>
  %starts = arith.muli %r1, %pitch : tensor<64x1xi32>
  %r2 = tt.broadcast %starts : tensor<64x1xi32> -> tensor<64x128xi32>
  %c1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c2 = tt.broadcast %c1 : tensor<1x128xi32> -> tensor<64x128xi32>
  %i = arith.addi %r2, %c2 : tensor<64x128xi32>
  %p0 = tt.splat %p : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %pp = tt.addptr %p0, %i : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  %x = tt.load %pp : tensor<64x128x!tt.ptr<f32>>
  %product = arith.mulf %x, %factors : tensor<64x128xf32>
  %y = arith.addf %product, %terms : tensor<64x128xf32>
  %sums = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<64x128xf32>) -> tensor<128xf32>
  %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %op = tt.addptr %o0, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %op, %sums : tensor<128x!tt.ptr<f32>>
  tt.return
}
