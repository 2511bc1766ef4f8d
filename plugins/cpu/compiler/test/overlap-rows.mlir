// Rows that a tile numbers are loaded where a later store is, without a copy, if
// at run time they are not among those that it stores. The copy is made, too, if
// a number, perhaps of a row that is masked off, is too large to tell.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=PLAN
// PLAN: materialize %[[ROWS:.*]] in b
// PLAN: copy %{{.*}} to b{{.*}} if %{{.*}} overlaps %
// PLAN: store %
// RUN: nereid compile %s --target cpu -O fast_paths=all,-overlap-guard --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: overlaps

// Stores far behind the rows, onto them, and with half of the rows masked off, whose
// numbers are 2^62.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=100000 i32=32 --save 0=%t.far.npy
// RUN: nereid run %s --target cpu --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=100000 i32=32 --expect 0=%t.far.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=5000 i32=32 --save 0=%t.near.npy
// RUN: nereid run %s --target cpu --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=5000 i32=32 --expect 0=%t.near.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=5000 i32=16 --save 0=%t.half.npy
// RUN: nereid run %s --target cpu --grid 1 f32[131072]=random:3 i64[32]=random:4:0:200 i64[32]=full:4611686018427387904 i32=5000 i32=16 --expect 0=%t.half.npy,0,0

tt.func public @rows(%p: !tt.ptr<f32>, %numbers: !tt.ptr<i64>, %wrong: !tt.ptr<i64>, %shift: i32, %n: i32) {
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %limit = tt.splat %n : i32 -> tensor<32xi32>
  %is = arith.cmpi slt, %m, %limit : tensor<32xi32>
  %number_tile = tt.splat %numbers : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>>
  %number_at = tt.addptr %number_tile, %m : tensor<32x!tt.ptr<i64>>, tensor<32xi32>
  %wrong_tile = tt.splat %wrong : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>>
  %wrong_at = tt.addptr %wrong_tile, %m : tensor<32x!tt.ptr<i64>>, tensor<32xi32>
  %others = tt.load %wrong_at : tensor<32x!tt.ptr<i64>>
  %number = tt.load %number_at, %is, %others : tensor<32x!tt.ptr<i64>>
  %row = tt.expand_dims %number {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
  %pitch = arith.constant dense<128> : tensor<32x1xi64>
  %start = arith.muli %row, %pitch : tensor<32x1xi64>
  %starts = tt.broadcast %start : tensor<32x1xi64> -> tensor<32x128xi64>
  %column = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %columns = tt.broadcast %column : tensor<1x128xi32> -> tensor<32x128xi32>
  %wide = arith.extsi %columns : tensor<32x128xi32> to tensor<32x128xi64>
  %from = arith.addi %starts, %wide : tensor<32x128xi64>
  %is_row = tt.expand_dims %is {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
  %mask = tt.broadcast %is_row : tensor<32x1xi1> -> tensor<32x128xi1>
  %p_tile = tt.splat %p : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %at = tt.addptr %p_tile, %from : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi64>
  %x = tt.load %at, %mask : tensor<32x128x!tt.ptr<f32>>
  %m_row = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %length = arith.constant dense<128> : tensor<32x1xi32>
  %m_start = arith.muli %m_row, %length : tensor<32x1xi32>
  %m_starts = tt.broadcast %m_start : tensor<32x1xi32> -> tensor<32x128xi32>
  %to = arith.addi %m_starts, %columns : tensor<32x128xi32>
  %q = tt.addptr %p, %shift : !tt.ptr<f32>, i32
  %q_tile = tt.splat %q : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %out = tt.addptr %q_tile, %to : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  tt.store %out, %x, %mask : tensor<32x128x!tt.ptr<f32>>
  tt.return
}
