// What is computed from a dot's sums row by row, up to another dot and what a loop
// carries, does not need the rows that no store needs. Of 16 rows, up to four are a
// strip of their own.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O fast_paths=-dot-rows --stop-after llir -o - | FileCheck %s --check-prefix=ALL
// CHECK: scf.for
// CHECK: dot {{.*}} rows below %
// CHECK: dot {{.*}} rows below %
// CHECK: define internal void @dot.f32.16x16x16{{.*}}limited
// CHECK: icmp ult i64 {{.*}}, 4
// ALL-NOT: rows below

// The maximum of columns needs all rows of the scores, and so does a result without a
// mask.
// RUN: sed 's/axis = 1 : i32}> ({/axis = 0 : i32}> ({/' %s > %t.columns.mlir
// RUN: nereid compile %t.columns.mlir --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=ONE
// RUN: sed 's/tt.store %%p_at, %%sums#1, %%below/tt.store %%p_at, %%sums#1/' %s > %t.unmasked.mlir
// RUN: nereid compile %t.unmasked.mlir --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=ONE
// ONE: dot %
// ONE-NOT: rows below
// ONE: materialize
// ONE: dot {{.*}} rows below %

// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=3 --save 2=%t.3.npy --save 3=%t.3.p.npy
// RUN: nereid run %s --target cpu --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=3 --expect 2=%t.3.npy,1e-5,1e-5 --expect 3=%t.3.p.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=9 --save 2=%t.9.npy --save 3=%t.9.p.npy
// RUN: nereid run %s --target cpu --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=9 --expect 2=%t.9.npy,1e-5,1e-5 --expect 3=%t.9.p.npy,1e-5,1e-5
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=-1 --save 2=%t.0.npy --save 3=%t.0.p.npy
// RUN: nereid run %s --target cpu --grid 1 f32[16,16]=random:1 f32[48,16]=random:2 f32[16,16]=full:7 f32[16]=full:7 i32=-1 --expect 2=%t.0.npy,1e-5,1e-5 --expect 3=%t.0.p.npy,1e-5,1e-5

tt.func public @heads(%q: !tt.ptr<f32>, %k: !tt.ptr<f32>, %o: !tt.ptr<f32>, %p: !tt.ptr<f32>, %heads: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c256 = arith.constant 256 : i32
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %least = arith.constant dense<-1.0> : tensor<16xf32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %pitch : tensor<16x1xi32>
  %starts_b = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns_b = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %starts_b, %columns_b : tensor<16x16xi32>
  %heads_t = tt.splat %heads : i32 -> tensor<16xi32>
  %below = arith.cmpi slt, %i, %heads_t : tensor<16xi32>
  %below_e = tt.expand_dims %below {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tt.broadcast %below_e : tensor<16x1xi1> -> tensor<16x16xi1>
  %q_tile = tt.splat %q : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %q_at = tt.addptr %q_tile, %offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %query = tt.load %q_at, %mask, %zero : tensor<16x16x!tt.ptr<f32>>
  %k_tile = tt.splat %k : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %sums:2 = scf.for %t = %c0 to %c3 step %c1 iter_args(%sum = %zero, %peak = %least) -> (tensor<16x16xf32>, tensor<16xf32>) : i32 {
    %step = arith.muli %t, %c256 : i32
    %step_t = tt.splat %step : i32 -> tensor<16x16xi32>
    %step_o = arith.addi %step_t, %offsets : tensor<16x16xi32>
    %k_at = tt.addptr %k_tile, %step_o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %keys = tt.load %k_at : tensor<16x16x!tt.ptr<f32>>
    %turned = tt.trans %keys {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
    %scores = tt.dot %query, %turned, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %top = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %next_peak = arith.maxnumf %peak, %top : tensor<16xf32>
    %grown = arith.subf %next_peak, %peak : tensor<16xf32>
    %grown_e = tt.expand_dims %grown {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %grown_b = tt.broadcast %grown_e : tensor<16x1xf32> -> tensor<16x16xf32>
    %moved = arith.addf %sum, %grown_b : tensor<16x16xf32>
    %out = tt.dot %scores, %keys, %moved : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %out, %next_peak : tensor<16x16xf32>, tensor<16xf32>
  }
  %o_tile = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %o_at = tt.addptr %o_tile, %offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %o_at, %sums#0, %mask : tensor<16x16x!tt.ptr<f32>>
  %p_tile = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p_at = tt.addptr %p_tile, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %p_at, %sums#1, %below : tensor<16x!tt.ptr<f32>>
  tt.return
}
