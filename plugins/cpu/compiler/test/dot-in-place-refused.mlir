// An operand is not read in place if the loop writes memory, and not shared if
// the program writes memory before the loop ends.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s

// CHECK: tile program @writes
// CHECK: dot {{.*}} every 8 prefetch
// CHECK-NOT: in place
// CHECK-NOT: shared by
// CHECK: dot {{.*}} every 8{{.*}}, left in place{{$}}

tt.func public @writes(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %rounds: i32, %pitch: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows, %pitches : tensor<32x1xi32>
  %rows2 = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns2 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %rows2, %columns2 : tensor<32x32xi32>
  %sa = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %sb = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %as = tt.addptr %sa, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bs = tt.addptr %sb, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cs = tt.addptr %sc, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %sums = scf.for %i = %first to %rounds step %one iter_args(%total = %zero) -> (tensor<32x32xf32>) : i32 {
    %start = arith.muli %i, %c32 : i32
    %step = arith.muli %start, %pitch : i32
    %startsA = tt.splat %start : i32 -> tensor<32x32xi32>
    %startsB = tt.splat %step : i32 -> tensor<32x32xi32>
    %as1 = tt.addptr %as, %startsA : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bs1 = tt.addptr %bs, %startsB : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %as1 : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bs1 : tensor<32x32x!tt.ptr<f32>>
    tt.store %cs, %zero : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %more = scf.for %i = %first to %rounds step %one iter_args(%total = %sums) -> (tensor<32x32xf32>) : i32 {
    %start = arith.muli %i, %c32 : i32
    %step = arith.muli %start, %pitch : i32
    %startsA = tt.splat %start : i32 -> tensor<32x32xi32>
    %startsB = tt.splat %step : i32 -> tensor<32x32xi32>
    %as1 = tt.addptr %as, %startsA : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bs1 = tt.addptr %bs, %startsB : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %as1 : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bs1 : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  tt.store %cs, %more : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
