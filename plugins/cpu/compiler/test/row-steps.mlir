// Programs that take turns to reduce columns read a few rows in each iteration: it
// is divided, if what the loop carries is combined in the same way as the rows.
// RUN: split-file %s %t
// RUN: nereid compile %t/moved.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/moved.mlir
// RUN: nereid compile %t/moved.mlir --target cpu -O cpu=znver3 -O fast_paths=all,-row-groups --stop-after llir -o - | FileCheck %t/moved.mlir --check-prefix=WHOLE
// RUN: nereid compile %t/rounded.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/rounded.mlir
// RUN: nereid compile %t/rounded.mlir --target cpu -O cpu=znver3 -O reassociate=false --stop-after llir -o - | FileCheck %t/rounded.mlir --check-prefix=WHOLE
// RUN: nereid compile %t/weighted.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/weighted.mlir

// The number of iterations, none too, and where they begin and end.
// DEFINE: %{arguments} =
// DEFINE: %{file} = moved
// DEFINE: %{run} = nereid run %t/%{file}.mlir --target cpu --grid 5 i32[16384]=random:1 i32[80]=zeros %{arguments}
// DEFINE: %{check} = %{run} -O fast_paths=none --save 1=%t.npy && %{run} --expect 1=%t.npy,0,0
// REDEFINE: %{arguments} = i32=80 i32=0 i32=3
// RUN: %{check}
// REDEFINE: %{arguments} = i32=80 i32=-2 i32=1
// RUN: %{check}
// REDEFINE: %{arguments} = i32=80 i32=2 i32=-1
// RUN: %{check}
// REDEFINE: %{file} = weighted
// REDEFINE: %{arguments} = i32=80 i32=0 i32=96
// RUN: %{check}
// REDEFINE: %{arguments} = i32=80 i32=7 i32=80
// RUN: %{check}
// REDEFINE: %{arguments} = i32=80 i32=0 i32=0
// RUN: %{check}

//--- moved.mlir
// What is loaded moves from one iteration to the next.
// CHECK: scf.for, up to {{[0-9]+}} programs take turns
// CHECK: nest [8x16]
// WHOLE: nest [64x16]
tt.func public @moved(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pitch: i32, %first: i32, %last: i32) {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %one = arith.constant 1 : i32
  %height = arith.constant 64 : i32
  %width = arith.constant 16 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %width : i32
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = arith.addi %starts, %r16 : tensor<16xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %all = tt.broadcast %column : tensor<1x16xi32> -> tensor<64x16xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %line = arith.muli %row, %pitches : tensor<64x1xi32>
  %lines = tt.broadcast %line : tensor<64x1xi32> -> tensor<64x16xi32>
  %offsets = arith.addi %lines, %all : tensor<64x16xi32>
  %froms = tt.splat %p : !tt.ptr<i32> -> tensor<64x16x!tt.ptr<i32>>
  %places = tt.addptr %froms, %offsets : tensor<64x16x!tt.ptr<i32>>, tensor<64x16xi32>
  %far = arith.muli %pitch, %height : i32
  %more = tt.splat %far : i32 -> tensor<64x16xi32>
  %sums:2 = scf.for %k = %first to %last step %one iter_args(%sum = %zero, %at = %places) -> (tensor<16xi32>, tensor<64x16x!tt.ptr<i32>>) : i32 {
    %tile = tt.load %at : tensor<64x16x!tt.ptr<i32>>
    %part = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<64x16xi32>) -> tensor<16xi32>
    %next = arith.maxsi %part, %sum : tensor<16xi32>
    %moved = tt.addptr %at, %more : tensor<64x16x!tt.ptr<i32>>, tensor<64x16xi32>
    scf.yield %next, %moved : tensor<16xi32>, tensor<64x16x!tt.ptr<i32>>
  }
  %tos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %out = tt.addptr %tos, %columns : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %out, %sums#0 : tensor<16x!tt.ptr<i32>>
  tt.return
}

//--- weighted.mlir
// The index of the loop numbers the rows. Sums of maxima are not divided.
// CHECK: scf.for, up to {{[0-9]+}} programs take turns
// CHECK: nest [64x16]
tt.func public @weighted(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pitch: i32, %first: i32, %last: i32) {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %others = arith.constant dense<0> : tensor<64x16xi32>
  %height = arith.constant 64 : i32
  %width = arith.constant 16 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %width : i32
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = arith.addi %starts, %r16 : tensor<16xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %all = tt.broadcast %column : tensor<1x16xi32> -> tensor<64x16xi32>
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %ends = tt.splat %last : i32 -> tensor<64x1xi32>
  %froms = tt.splat %p : !tt.ptr<i32> -> tensor<64x16x!tt.ptr<i32>>
  %sums:2 = scf.for %k = %first to %last step %height iter_args(%sum = %zero, %most = %zero) -> (tensor<16xi32>, tensor<16xi32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32>
    %rows = arith.addi %ks, %r64 : tensor<64xi32>
    %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %below = arith.cmpi slt, %row, %ends : tensor<64x1xi32>
    %mask = tt.broadcast %below : tensor<64x1xi1> -> tensor<64x16xi1>
    %line = arith.muli %row, %pitches : tensor<64x1xi32>
    %lines = tt.broadcast %line : tensor<64x1xi32> -> tensor<64x16xi32>
    %offsets = arith.addi %lines, %all : tensor<64x16xi32>
    %places = tt.addptr %froms, %offsets : tensor<64x16x!tt.ptr<i32>>, tensor<64x16xi32>
    %tile = tt.load %places, %mask, %others : tensor<64x16x!tt.ptr<i32>>
    %part = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<64x16xi32>) -> tensor<16xi32>
    %next = arith.addi %sum, %part : tensor<16xi32>
    %highest = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<64x16xi32>) -> tensor<16xi32>
    %more = arith.addi %most, %highest : tensor<16xi32>
    scf.yield %next, %more : tensor<16xi32>, tensor<16xi32>
  }
  %tos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %out = tt.addptr %tos, %columns : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %both = arith.xori %sums#0, %sums#1 : tensor<16xi32>
  tt.store %out, %both : tensor<16x!tt.ptr<i32>>
  tt.return
}

//--- rounded.mlir
// Sums are rounded in another order.
// CHECK: nest [8x16]
// WHOLE: nest [64x16]
tt.func public @rounded(%p: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pitch: i32, %last: i32) {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %none = arith.constant 0 : i32
  %height = arith.constant 64 : i32
  %width = arith.constant 16 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %width : i32
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %columns = arith.addi %starts, %r16 : tensor<16xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %all = tt.broadcast %column : tensor<1x16xi32> -> tensor<64x16xi32>
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %froms = tt.splat %p : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %sums = scf.for %k = %none to %last step %height iter_args(%sum = %zero) -> (tensor<16xf32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<64xi32>
    %rows = arith.addi %ks, %r64 : tensor<64xi32>
    %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %line = arith.muli %row, %pitches : tensor<64x1xi32>
    %lines = tt.broadcast %line : tensor<64x1xi32> -> tensor<64x16xi32>
    %offsets = arith.addi %lines, %all : tensor<64x16xi32>
    %places = tt.addptr %froms, %offsets : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    %tile = tt.load %places : tensor<64x16x!tt.ptr<f32>>
    %part = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x16xf32>) -> tensor<16xf32>
    %next = arith.addf %sum, %part : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  %tos = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %out = tt.addptr %tos, %columns : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %out, %sums : tensor<16x!tt.ptr<f32>>
  tt.return
}
