// Rows of a product that no store needs are not multiplied: how many are needed
// is computed before the loop. If another operation reads the sums, all are.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-dot-rows --stop-after llir -o - | FileCheck %s --check-prefix=ALL
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=ALL
// RUN: nereid run %s --target cpu --grid 1 bf16[1024]=random:1 bf16[2048]=random:2 f32[512]=full:7 i32=5 i32=2 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 bf16[1024]=random:1 bf16[2048]=random:2 f32[512]=full:7 i32=5 i32=2 --expect 2=%t.npy
// RUN: nereid run %s --target cpu --grid 1 bf16[1024]=random:1 bf16[2048]=random:2 f32[512]=full:7 i32=-3 i32=2 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 bf16[1024]=random:1 bf16[2048]=random:2 f32[512]=full:7 i32=-3 i32=2 --expect 2=%t.npy

// CHECK: scf.for
// CHECK: dot {{.*}} rows below %
// CHECK: define internal void @dot.f32.16x32x32{{.*}}limited
// ALL-NOT: rows below

tt.func public @rows(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>, %m: i32, %rounds: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %krow = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %w16 = arith.constant dense<32> : tensor<16x1xi32>
  %w32 = arith.constant dense<32> : tensor<32x1xi32>
  %ra = arith.muli %row, %w16 : tensor<16x1xi32>
  %rb = arith.muli %krow, %w32 : tensor<32x1xi32>
  %ra2 = tt.broadcast %ra : tensor<16x1xi32> -> tensor<16x32xi32>
  %rb2 = tt.broadcast %rb : tensor<32x1xi32> -> tensor<32x32xi32>
  %ca2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<16x32xi32>
  %cb2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %oa = arith.addi %ra2, %ca2 : tensor<16x32xi32>
  %ob = arith.addi %rb2, %cb2 : tensor<32x32xi32>
  %as = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x32x!tt.ptr<bf16>>
  %bs = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %oa : tensor<16x32x!tt.ptr<bf16>>, tensor<16x32xi32>
  %bp = tt.addptr %bs, %ob : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %oa : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %na = arith.constant dense<512> : tensor<16x32xi32>
  %nb = arith.constant dense<1024> : tensor<32x32xi32>
  %sums:3 = scf.for %i = %first to %rounds step %one iter_args(%total = %zero, %pas = %ap, %pbs = %bp)
      -> (tensor<16x32xf32>, tensor<16x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>) : i32 {
    %a = tt.load %pas : tensor<16x32x!tt.ptr<bf16>>
    %b = tt.load %pbs : tensor<32x32x!tt.ptr<bf16>>
    %next = tt.dot %a, %b, %total : tensor<16x32xbf16> * tensor<32x32xbf16> -> tensor<16x32xf32>
    %pa1 = tt.addptr %pas, %na : tensor<16x32x!tt.ptr<bf16>>, tensor<16x32xi32>
    %pb1 = tt.addptr %pbs, %nb : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
    scf.yield %next, %pa1, %pb1 : tensor<16x32xf32>, tensor<16x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>
  }
  %half = arith.constant dense<0.5> : tensor<16x32xf32>
  %scaled = arith.mulf %sums#0, %half : tensor<16x32xf32>
  %ms = tt.splat %m : i32 -> tensor<16x1xi32>
  %below = arith.cmpi slt, %row, %ms : tensor<16x1xi32>
  %mask = tt.broadcast %below : tensor<16x1xi1> -> tensor<16x32xi1>
  tt.store %cp, %scaled, %mask : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
