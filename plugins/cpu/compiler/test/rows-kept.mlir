// What one part of a row has written to scratch, a later part reads after that,
// even at an index that is the same for all rows: a load from one address is
// kept for the division, and no row of it may be read before the loop of rows.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[1]=random:1 f32[1024]=zeros
// RUN: %{run} -O fast_paths=none --save 1=%t.npy
// RUN: %{run} --expect 1=%t.npy,1e-6,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK: tile program @k
// CHECK: nest [16x64] axis 1
// CHECK-NEXT: row
// CHECK-NEXT: materialize [[KEPT:%[0-9]+]] in [[BUFFER:b[0-9]+]]
// CHECK-NEXT: reduce [[KEPT]] ->
// CHECK-NEXT: row
// CHECK-NEXT: store

tt.func public @k(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tt.broadcast %c1 : tensor<1x64xi32> -> tensor<16x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %x = tt.load %ps : tensor<16x64x!tt.ptr<f32>>
  %e = math.exp %x : tensor<16x64xf32>
  %n = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  %n1 = tt.expand_dims %n {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %nb = tt.broadcast %n1 : tensor<16x1xf32> -> tensor<16x64xf32>
  %q = arith.divf %e, %nb : tensor<16x64xf32>
  %c4 = arith.constant dense<64> : tensor<16x1xi32>
  %rows = arith.muli %r1, %c4 : tensor<16x1xi32>
  %rb = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x64xi32>
  %offs = arith.addi %rb, %cb : tensor<16x64xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %oa = tt.addptr %os, %offs : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %oa, %q : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
