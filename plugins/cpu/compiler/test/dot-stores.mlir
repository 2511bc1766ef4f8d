// The last product of a loop stores its sums itself, if all of the tile is
// stored, to rows that are apart from one another and from what it reads. The
// arguments: one buffer, the first elements of a, b and c in it, how far rows of
// c are apart, how many rows are stored, and the rounds of the loop.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-dot-stores --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids --stop-after llir -o - | FileCheck %s
//
// Apart; all rounds of the loop in one product, in two, none.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=32 i32=2 --save 0=%t.apart.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=32 i32=2 --expect 0=%t.apart.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[40960]=random:1 i32=0 i32=2048 i32=38912 i32=32 i32=32 i32=33 --save 0=%t.many.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[40960]=random:1 i32=0 i32=2048 i32=38912 i32=32 i32=32 i32=33 --expect 0=%t.many.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=32 i32=0 --save 0=%t.none.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=32 i32=0 --expect 0=%t.none.npy
// Over the left operand, and over its last row.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=1024 i32=4096 i32=1024 i32=64 i32=32 i32=2 --save 0=%t.left.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=1024 i32=4096 i32=1024 i32=64 i32=32 i32=2 --expect 0=%t.left.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=1024 i32=5120 i32=3071 i32=33 i32=32 i32=2 --save 0=%t.last.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=1024 i32=5120 i32=3071 i32=33 i32=32 i32=2 --expect 0=%t.last.npy,1e-4,1e-4
// Over the right operand, which is copied.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=4096 i32=4100 i32=40 i32=32 i32=2 --save 0=%t.right.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=4096 i32=4100 i32=40 i32=32 i32=2 --expect 0=%t.right.npy,1e-4,1e-4
// Rows that overlap one another, descend, or are one row; fewer rows.
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=31 i32=32 i32=2 --save 0=%t.close.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=31 i32=32 i32=2 --expect 0=%t.close.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=7168 i32=-32 i32=32 i32=2 --save 0=%t.down.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=7168 i32=-32 i32=32 i32=2 --expect 0=%t.down.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=0 i32=32 i32=2 --save 0=%t.one.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=0 i32=32 i32=2 --expect 0=%t.one.npy,1e-4,1e-4
// RUN: nereid run %s --target cpu --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=31 i32=2 --save 0=%t.fewer.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[8192]=random:1 i32=0 i32=2048 i32=4096 i32=32 i32=31 i32=2 --expect 0=%t.fewer.npy,1e-4,1e-4

// CHECK: dot {{.*}} from zero stores, left in place
// NONE: dot {{.*}} from zero, left in place

tt.func public @kernel(%buffer: !tt.ptr<f32>, %a: i32, %b: i32, %c: i32, %pitch: i32, %rows: i32, %rounds: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c1024 = arith.constant 1024 : i32
  %c64s = arith.constant dense<64> : tensor<32x1xi32>
  %c32s = arith.constant dense<32> : tensor<32x1xi32>
  %pa = tt.addptr %buffer, %a : !tt.ptr<f32>, i32
  %pb = tt.addptr %buffer, %b : !tt.ptr<f32>, i32
  %pc = tt.addptr %buffer, %c : !tt.ptr<f32>, i32
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %line = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %linesA = arith.muli %line, %c64s : tensor<32x1xi32>
  %linesB = arith.muli %line, %c32s : tensor<32x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %linesC = arith.muli %line, %pitches : tensor<32x1xi32>
  %startsA = tt.broadcast %linesA : tensor<32x1xi32> -> tensor<32x32xi32>
  %startsB = tt.broadcast %linesB : tensor<32x1xi32> -> tensor<32x32xi32>
  %startsC = tt.broadcast %linesC : tensor<32x1xi32> -> tensor<32x32xi32>
  %offsetsA = arith.addi %startsA, %columns : tensor<32x32xi32>
  %offsetsB = arith.addi %startsB, %columns : tensor<32x32xi32>
  %offsetsC = arith.addi %startsC, %columns : tensor<32x32xi32>
  %limit = tt.splat %rows : i32 -> tensor<32x1xi32>
  %below = arith.cmpi slt, %line, %limit : tensor<32x1xi32>
  %mask = tt.broadcast %below : tensor<32x1xi1> -> tensor<32x32xi1>
  %sums = scf.for %i = %c0 to %rounds step %c1 iter_args(%total = %zero) -> (tensor<32x32xf32>) : i32 {
    %stepA = arith.muli %i, %c32 : i32
    %stepB = arith.muli %i, %c1024 : i32
    %qa = tt.addptr %pa, %stepA : !tt.ptr<f32>, i32
    %qb = tt.addptr %pb, %stepB : !tt.ptr<f32>, i32
    %sa = tt.splat %qa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %sb = tt.splat %qb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %as = tt.addptr %sa, %offsetsA : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bs = tt.addptr %sb, %offsetsB : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %as : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bs : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.addptr %sc, %offsetsC : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %cs, %sums, %mask : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
