// The loads of a deferred dot write its right operand in panels as wide as the
// sums in registers, and its left one in rows along K. An operand that others
// read, too, is packed.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 -O fast_paths=all,-dot-panels --stop-after llir -o - | FileCheck %s --check-prefix=ROWS
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE

// CHECK: tile program @panels
// CHECK: [[A:b[0-9]+]] [64x32] f32 x8 at
// CHECK: [[B:b[0-9]+]] [32x64] f32 x8 x32 in panels of 16 at
// CHECK: [[PACKED:b[0-9]+]] [32x64] f32 x8 in panels of 16 at
// CHECK: materialize %[[X:[0-9]+]] in [[A]]
// CHECK: materialize %[[Y:[0-9]+]] in [[B]]
// CHECK: dot %[[X]] %[[Y]] {{.*}} every 8 prefetch %[[X]] prefetch %[[Y]]{{.*}}, left in place, right shared by all
// CHECK: dot %{{[0-9]+}} %{{[0-9]+}} packed in [[PACKED]]
// 64 rows: nine blocks of six and two of five.
// CHECK: define internal void @dot.f32.64x64x32.deferred.x8
// CHECK: icmp ult i64 %{{[0-9]+}}, 9
// CHECK: icmp ult i64 %{{[0-9]+}}, 2

// ROWS-NOT: panels of
// ROWS: call void @dot.f32.64x64x32.deferred.x8.rows

// WIDE: [32x64] f32 x4 x64 in panels of 32 at

tt.func public @panels(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %rounds: i32, %pitch: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rowsK = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columnsK = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %pitchesK = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %rowsA = arith.muli %rows, %pitches : tensor<64x1xi32>
  %rowsB = arith.muli %rowsK, %pitchesK : tensor<32x1xi32>
  %rowsA2 = tt.broadcast %rowsA : tensor<64x1xi32> -> tensor<64x32xi32>
  %columnsA2 = tt.broadcast %columnsK : tensor<1x32xi32> -> tensor<64x32xi32>
  %rowsB2 = tt.broadcast %rowsB : tensor<32x1xi32> -> tensor<32x64xi32>
  %columnsB2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %rowsC2 = tt.broadcast %rowsA : tensor<64x1xi32> -> tensor<64x64xi32>
  %columnsC2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsetsA = arith.addi %rowsA2, %columnsA2 : tensor<64x32xi32>
  %offsetsB = arith.addi %rowsB2, %columnsB2 : tensor<32x64xi32>
  %offsetsC = arith.addi %rowsC2, %columnsC2 : tensor<64x64xi32>
  %sa = tt.splat %pa : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %sb = tt.splat %pb : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %as = tt.addptr %sa, %offsetsA : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bs = tt.addptr %sb, %offsetsB : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %cs = tt.addptr %sc, %offsetsC : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sums = scf.for %i = %first to %rounds step %one iter_args(%total = %zero) -> (tensor<64x64xf32>) : i32 {
    %start = arith.muli %i, %c32 : i32
    %startsA = tt.splat %start : i32 -> tensor<64x32xi32>
    %step = arith.muli %start, %pitch : i32
    %startsB = tt.splat %step : i32 -> tensor<32x64xi32>
    %as1 = tt.addptr %as, %startsA : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %bs1 = tt.addptr %bs, %startsB : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %x = tt.load %as1 : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %bs1 : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %more = scf.for %i = %first to %rounds step %one iter_args(%total = %sums) -> (tensor<64x64xf32>) : i32 {
    %x = tt.load %as : tensor<64x32x!tt.ptr<f32>>
    %y = tt.load %bs : tensor<32x64x!tt.ptr<f32>>
    tt.store %bs, %y : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.store %cs, %more : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
