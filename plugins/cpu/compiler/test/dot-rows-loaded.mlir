// The rows of a block of tokens that are sorted by expert: their numbers are in
// memory, those after the last token are too large. How many rows are needed is
// found before the loop, wherever rows without a token are.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// CHECK:      nest [16]
// CHECK:      reduce %{{[0-9]+}} -> %[[LAST:[0-9]+]] from -2147483648 : i32
// CHECK:      scf.for
// CHECK:      dot {{.*}} rows below %

// Numbers that are tokens: all, some at random, none.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[512]=random:1 f32[512]=random:2 f32[2048]=full:7
// RUN: %{run} i32[16]=random:3:0:32 i32=32 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32[16]=random:3:0:32 i32=32 --expect 2=%t.npy,1e-5,1e-5
// RUN: %{run} i32[16]=random:3:0:32 i32=16 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32[16]=random:3:0:32 i32=16 --expect 2=%t.npy,1e-5,1e-5
// RUN: %{run} i32[16]=range i32=5 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32[16]=range i32=5 --expect 2=%t.npy,1e-5,1e-5
// RUN: %{run} i32[16]=range i32=0 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32[16]=range i32=0 --expect 2=%t.npy,1e-5,1e-5

tt.func public @rows(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %tokens: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %t0 = tt.splat %tokens : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %tp = tt.addptr %t0, %r16 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %token = tt.load %tp : tensor<16x!tt.ptr<i32>>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %is = arith.cmpi slt, %token, %ns : tensor<16xi32>
  %is1 = tt.expand_dims %is {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %isa = tt.broadcast %is1 : tensor<16x1xi1> -> tensor<16x16xi1>
  %isc = tt.broadcast %is1 : tensor<16x1xi1> -> tensor<16x32xi1>
  %t1 = tt.expand_dims %token {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %w16 = arith.constant dense<16> : tensor<16x1xi32>
  %w32 = arith.constant dense<32> : tensor<16x1xi32>
  %ra = arith.muli %t1, %w16 : tensor<16x1xi32>
  %rc = arith.muli %t1, %w32 : tensor<16x1xi32>
  %k1 = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rb = arith.muli %k1, %w32 : tensor<16x1xi32>
  %ka = tt.expand_dims %r16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %cb = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %ra2 = tt.broadcast %ra : tensor<16x1xi32> -> tensor<16x16xi32>
  %ka2 = tt.broadcast %ka : tensor<1x16xi32> -> tensor<16x16xi32>
  %rb2 = tt.broadcast %rb : tensor<16x1xi32> -> tensor<16x32xi32>
  %rc2 = tt.broadcast %rc : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb2 = tt.broadcast %cb : tensor<1x32xi32> -> tensor<16x32xi32>
  %oa = arith.addi %ra2, %ka2 : tensor<16x16xi32>
  %ob = arith.addi %rb2, %cb2 : tensor<16x32xi32>
  %oc = arith.addi %rc2, %cb2 : tensor<16x32xi32>
  %as = tt.splat %pa : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %oa : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %bp = tt.addptr %bs, %ob : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %cp = tt.addptr %cs, %oc : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %sums = scf.for %i = %c0 to %c2 step %c1 iter_args(%total = %zero) -> (tensor<16x32xf32>) : i32 {
    %a = tt.load %ap, %isa, %none : tensor<16x16x!tt.ptr<f32>>
    %b = tt.load %bp : tensor<16x32x!tt.ptr<f32>>
    %next = tt.dot %a, %b, %total : tensor<16x16xf32> * tensor<16x32xf32> -> tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  tt.store %cp, %sums, %isc : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
