// A program that reads pieces of many rows in a loop takes a few rows through all
// of its iterations, then the next ones, where it stores nothing that it reads.
// RUN: split-file %s %t
// RUN: nereid compile %t/sums.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/sums.mlir --implicit-check-not=llvm.prefetch
// RUN: nereid compile %t/sums.mlir --target cpu -O cpu=znver3 -O fast_paths=all,-row-groups --stop-after llir -o - | FileCheck %t/sums.mlir --check-prefix=WHOLE
// RUN: nereid compile %t/sums.mlir --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %t/sums.mlir --check-prefixes=CHECK,AHEAD
// RUN: nereid compile %t/along.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/along.mlir
// RUN: nereid compile %t/moved.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/moved.mlir
// RUN: nereid compile %t/kept.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %t/kept.mlir

// The arguments are the places of x and y, in elements, how far rows are apart,
// and their length: y is apart, one of the rows, or the beginning of all. Rows
// overlap, or are one, or are read backwards.
// DEFINE: %{arguments} =
// DEFINE: %{output} = 0
// DEFINE: %{sums} = nereid run %t/sums.mlir --target cpu --grid 2 i32[32768]=random:1 %{arguments}
// DEFINE: %{check} = %{sums} -O fast_paths=none --save %{output}=%t.npy && %{sums} --expect %{output}=%t.npy,0,0
// REDEFINE: %{arguments} = i32=0 i32=28000 i32=160 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=1600 i32=160 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=16 i32=0 i32=160 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=16 i32=0 i32=3 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=8 i32=0 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=32000 i32=32060 i32=-160 i32=150
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=28000 i32=160 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=20480 i32=160 i32=160
// RUN: %{check}

// Rows that are stored in a loop: apart, with an end that is in no iteration but
// the last, one after the other, overlapping, or read by other rows. An end of -1
// is beyond all, and the first column may be before them.
// REDEFINE: %{sums} = nereid run %t/moved.mlir --target cpu --grid 2 i32[65536]=random:1 %{arguments}
// REDEFINE: %{arguments} = i32=0 i32=32768 i32=160 i32=160 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=32768 i32=160 i32=150 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=32768 i32=160 i32=149 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=32768 i32=160 i32=1 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=60000 i32=160 i32=-150 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=150 i32=160 i32=160 i32=150 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=0 i32=32768 i32=160 i32=1 i32=-1 i32=0
// RUN: %{check}
// REDEFINE: %{arguments} = i32=64 i32=32768 i32=160 i32=160 i32=150 i32=-32
// RUN: %{check}

// Rows of a tile that is stored column by column: they overlap, or are apart.
// REDEFINE: %{sums} = nereid run %t/stored.mlir --target cpu --grid 1 i32[16384]=random:1 i32[2048]=zeros %{arguments}
// REDEFINE: %{output} = 1
// REDEFINE: %{arguments} = i32=64 i32=48 i32=16
// RUN: %{check}
// REDEFINE: %{arguments} = i32=64 i32=48 i32=1
// RUN: %{check}

//--- sums.mlir
// CHECK: where stores are apart from loads:
// CHECK: scf.for
// CHECK: scf.for
// CHECK: nest [8x32]
// CHECK: store
// CHECK: elsewhere:
// CHECK: nest [64x32]
// AHEAD: call void @llvm.prefetch
// WHOLE-NOT: where
// WHOLE: nest [64x32]
tt.func public @sums(%p: !tt.ptr<i32>, %x: i32, %y: i32, %pitch: i32, %length: i32) {
  %zero = arith.constant dense<0> : tensor<64x32xi32>
  %lower = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %size = arith.constant 64 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %size : i32
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = arith.addi %starts, %r64 : tensor<64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %line = arith.muli %row, %pitches : tensor<64x1xi32>
  %lines = tt.broadcast %line : tensor<64x1xi32> -> tensor<64x32xi32>
  %from = tt.addptr %p, %x : !tt.ptr<i32>, i32
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ends = tt.splat %length : i32 -> tensor<32xi32>
  %sums = scf.for %k = %lower to %length step %step iter_args(%sum = %zero) -> (tensor<64x32xi32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<32xi32>
    %columns = arith.addi %ks, %r32 : tensor<32xi32>
    %below = arith.cmpi slt, %columns, %ends : tensor<32xi32>
    %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %all = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
    %offsets = arith.addi %lines, %all : tensor<64x32xi32>
    %mask = tt.expand_dims %below {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %masks = tt.broadcast %mask : tensor<1x32xi1> -> tensor<64x32xi1>
    %places = tt.addptr %froms, %offsets : tensor<64x32x!tt.ptr<i32>>, tensor<64x32xi32>
    %tile = tt.load %places, %masks, %zero : tensor<64x32x!tt.ptr<i32>>
    %next = arith.addi %sum, %tile : tensor<64x32xi32>
    scf.yield %next : tensor<64x32xi32>
  }
  %sum = "tt.reduce"(%sums) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64x32xi32>) -> tensor<64xi32>
  %to = tt.addptr %p, %y : !tt.ptr<i32>, i32
  %tos = tt.splat %to : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %out = tt.addptr %tos, %rows : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %out, %sum : tensor<64x!tt.ptr<i32>>
  tt.return
}

//--- moved.mlir
// CHECK: where stores are apart from loads:
// CHECK: nest [8x32]
// CHECK: store
// CHECK: elsewhere:
// CHECK: nest [64x32]
tt.func public @moved(%p: !tt.ptr<i32>, %x: i32, %y: i32, %pitch: i32, %distance: i32, %end: i32, %first: i32) {
  %one = arith.constant dense<1> : tensor<64x32xi32>
  %last = arith.constant 160 : i32
  %step = arith.constant 32 : i32
  %size = arith.constant 64 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %size : i32
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = arith.addi %starts, %r64 : tensor<64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %line = arith.muli %row, %pitches : tensor<64x1xi32>
  %lines = tt.broadcast %line : tensor<64x1xi32> -> tensor<64x32xi32>
  %distances = tt.splat %distance : i32 -> tensor<64x1xi32>
  %other = arith.muli %row, %distances : tensor<64x1xi32>
  %others = tt.broadcast %other : tensor<64x1xi32> -> tensor<64x32xi32>
  %from = tt.addptr %p, %x : !tt.ptr<i32>, i32
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>>
  %to = tt.addptr %p, %y : !tt.ptr<i32>, i32
  %tos = tt.splat %to : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ends = tt.splat %end : i32 -> tensor<32xi32>
  scf.for %k = %first to %last step %step : i32 {
    %ks = tt.splat %k : i32 -> tensor<32xi32>
    %columns = arith.addi %ks, %r32 : tensor<32xi32>
    %below = arith.cmpi ult, %columns, %ends : tensor<32xi32>
    %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %all = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
    %mask = tt.expand_dims %below {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %masks = tt.broadcast %mask : tensor<1x32xi1> -> tensor<64x32xi1>
    %a = arith.addi %lines, %all : tensor<64x32xi32>
    %places = tt.addptr %froms, %a : tensor<64x32x!tt.ptr<i32>>, tensor<64x32xi32>
    %tile = tt.load %places, %masks, %one : tensor<64x32x!tt.ptr<i32>>
    %more = arith.addi %tile, %one : tensor<64x32xi32>
    %b = arith.addi %others, %all : tensor<64x32xi32>
    %out = tt.addptr %tos, %b : tensor<64x32x!tt.ptr<i32>>, tensor<64x32xi32>
    tt.store %out, %more, %masks : tensor<64x32x!tt.ptr<i32>>
  }
  tt.return
}

//--- along.mlir
// The rows are the last dimension, and have the same numbers as the columns.
// CHECK: where stores are apart from loads:
// CHECK: nest [16x8]
// CHECK: elsewhere:
// CHECK: nest [16x16]
tt.func public @along(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pitch: i32, %length: i32) {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %lower = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %r16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<1x16xi32>
  %line = arith.muli %row, %pitches : tensor<1x16xi32>
  %lines = tt.broadcast %line : tensor<1x16xi32> -> tensor<16x16xi32>
  %froms = tt.splat %p : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %sums = scf.for %k = %lower to %length step %step iter_args(%sum = %zero) -> (tensor<16xi32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<16xi32>
    %columns = arith.addi %ks, %r16 : tensor<16xi32>
    %column = tt.expand_dims %columns {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %all = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
    %offsets = arith.addi %lines, %all : tensor<16x16xi32>
    %places = tt.addptr %froms, %offsets : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
    %tile = tt.load %places : tensor<16x16x!tt.ptr<i32>>
    %part = "tt.reduce"(%tile) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<16x16xi32>) -> tensor<16xi32>
    %next = arith.addi %sum, %part : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  %tos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %out = tt.addptr %tos, %r16 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %out, %sums : tensor<16x!tt.ptr<i32>>
  tt.return
}

//--- stored.mlir
tt.func public @stored(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pitch: i32, %length: i32, %distance: i32) {
  %zero = arith.constant dense<0> : tensor<16x64xi32>
  %lower = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<1x64xi32>
  %line = arith.muli %row, %pitches : tensor<1x64xi32>
  %lines = tt.broadcast %line : tensor<1x64xi32> -> tensor<16x64xi32>
  %froms = tt.splat %p : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
  %sums = scf.for %k = %lower to %length step %step iter_args(%sum = %zero) -> (tensor<16x64xi32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<16xi32>
    %columns = arith.addi %ks, %r16 : tensor<16xi32>
    %column = tt.expand_dims %columns {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %all = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x64xi32>
    %offsets = arith.addi %lines, %all : tensor<16x64xi32>
    %places = tt.addptr %froms, %offsets : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
    %tile = tt.load %places : tensor<16x64x!tt.ptr<i32>>
    %next = arith.addi %sum, %tile : tensor<16x64xi32>
    scf.yield %next : tensor<16x64xi32>
  }
  %distances = tt.splat %distance : i32 -> tensor<1x64xi32>
  %start = arith.muli %row, %distances : tensor<1x64xi32>
  %starts = tt.broadcast %start : tensor<1x64xi32> -> tensor<16x64xi32>
  %own = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %owns = tt.broadcast %own : tensor<16x1xi32> -> tensor<16x64xi32>
  %where = arith.addi %starts, %owns : tensor<16x64xi32>
  %tos = tt.splat %y : !tt.ptr<i32> -> tensor<16x64x!tt.ptr<i32>>
  %out = tt.addptr %tos, %where : tensor<16x64x!tt.ptr<i32>>, tensor<16x64xi32>
  tt.store %out, %sums : tensor<16x64x!tt.ptr<i32>>
  tt.return
}

//--- kept.mlir
// The rows depend on one another: their sums are scanned.
// CHECK-NOT: where
// CHECK: nest [16x32]
tt.func public @kept(%p: !tt.ptr<i32>, %y: !tt.ptr<i32>, %pitch: i32, %length: i32) {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %lower = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<16x1xi32>
  %line = arith.muli %row, %pitches : tensor<16x1xi32>
  %lines = tt.broadcast %line : tensor<16x1xi32> -> tensor<16x32xi32>
  %froms = tt.splat %p : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %sums = scf.for %k = %lower to %length step %step iter_args(%sum = %zero) -> (tensor<16xi32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<32xi32>
    %columns = arith.addi %ks, %r32 : tensor<32xi32>
    %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %all = tt.broadcast %column : tensor<1x32xi32> -> tensor<16x32xi32>
    %offsets = arith.addi %lines, %all : tensor<16x32xi32>
    %places = tt.addptr %froms, %offsets : tensor<16x32x!tt.ptr<i32>>, tensor<16x32xi32>
    %tile = tt.load %places : tensor<16x32x!tt.ptr<i32>>
    %part = "tt.reduce"(%tile) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<16x32xi32>) -> tensor<16xi32>
    %next = arith.addi %sum, %part : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  %scanned = "tt.scan"(%sums) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  %tos = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %out = tt.addptr %tos, %r16 : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %out, %scanned : tensor<16x!tt.ptr<i32>>
  tt.return
}
