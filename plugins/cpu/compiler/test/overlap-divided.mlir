// The range of addresses with quotients and remainders of the index is known
// before the loops: whether they overlap those of a store is asked there, and
// the load is in the loop of the store. It is copied where they do, and where
// the index is negative or the divisor not positive, of which nothing is known.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// DEFINE: %{run} = nereid run %s --target cpu --grid 2 f32[4096]=random:1
// Apart; with the same rows; behind and ahead by a few elements; before 0; by a
// negative number.
// RUN: %{run} i32=50 i32=0 i32=2000 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=50 i32=0 i32=2000 --expect 0=%t.npy,0,0
// RUN: %{run} i32=50 i32=0 i32=2000 -O fast_paths=all,-overlap-guard --expect 0=%t.npy,0,0
// RUN: %{run} i32=50 i32=0 i32=0 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=50 i32=0 i32=0 --expect 0=%t.npy,0,0
// RUN: %{run} i32=9 i32=0 i32=-3 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=9 i32=0 i32=-3 --expect 0=%t.npy,0,0
// RUN: %{run} i32=37 i32=0 i32=5 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=37 i32=0 i32=5 --expect 0=%t.npy,0,0
// RUN: %{run} i32=37 i32=-300 i32=-900 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=37 i32=-300 i32=-900 --expect 0=%t.npy,0,0
// RUN: %{run} i32=-37 i32=0 i32=-900 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=-37 i32=0 i32=-900 --expect 0=%t.npy,0,0
// A remainder of a quotient, as a channel is, is no place of neighbours.
// RUN: sed 's/start = arith.muli/start = arith.remsi/; s/dense<2>/dense<0>/' %s > %t-channel.mlir
// RUN: nereid compile %t-channel.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=CHANNEL
// DEFINE: %{channel} = nereid run %t-channel.mlir --target cpu --grid 2 f32[4096]=random:1
// RUN: %{channel} i32=50 i32=0 i32=2 -O fast_paths=none --save 0=%t.npy
// RUN: %{channel} i32=50 i32=0 i32=2 --expect 0=%t.npy,0,0
// RUN: %{channel} i32=50 i32=0 i32=64 -O fast_paths=none --save 0=%t.npy
// RUN: %{channel} i32=50 i32=0 i32=64 --expect 0=%t.npy,0,0
// RUN: %{channel} i32=9 i32=-300 i32=-40 -O fast_paths=none --save 0=%t.npy
// RUN: %{channel} i32=9 i32=-300 i32=-40 --expect 0=%t.npy,0,0
// What a store finds by a remainder alone may be read in its loop, what a load does, as
// in a roll of rows, is read before it: it may be behind what is stored but for higher
// bits.
// RUN: sed 's/dense<2>/dense<1>/' %s > %t-load.mlir
// RUN: nereid compile %t-load.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=LOAD
// RUN: sed 's/^  .column = arith.remsi .*/  %rest = arith.remsi %i, %ws : tensor<256xi32>\n  %more = arith.addi %rest, %ws : tensor<256xi32>\n  %column = arith.remsi %more, %ws : tensor<256xi32>/' %t-load.mlir > %t-rolled.mlir
// RUN: nereid compile %t-rolled.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=LOAD
// RUN: sed 's/from, .where/from, %range/; s/stored, .range/stored, %where/' %t-load.mlir > %t-store.mlir
// RUN: nereid compile %t-store.mlir --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid run %t-store.mlir --target cpu --grid 2 f32[4096]=random:1 i32=50 i32=0 i32=3 -O fast_paths=none --save 0=%t.npy
// RUN: nereid run %t-store.mlir --target cpu --grid 2 f32[4096]=random:1 i32=50 i32=0 i32=3 --expect 0=%t.npy,0,0

// CHECK:      copy %{{.*}} if %{{.*}} overlaps %{{.*}}
// CHECK-NEXT: nest [256]
// CHECK-NEXT: pieces of %{{.*}}, {{constant|contiguous}}
// CHECK-NEXT: pieces of %{{.*}}, {{constant|contiguous}}
// CHECK-NEXT: store
// CHANNEL: copy %{{.*}} if %{{.*}} overlaps %{{.*}}
// LOAD-NOT: copy
tt.func public @rows(%p: !tt.ptr<f32>, %width: i32, %first: i32, %to: i32) {
  %c256 = arith.constant 256 : i32
  %c1000 = arith.constant 1000 : i32
  %pid = tt.get_program_id x : i32
  %own = arith.muli %pid, %c256 : i32
  %begin = arith.addi %own, %first : i32
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %begins = tt.splat %begin : i32 -> tensor<256xi32>
  %i = arith.addi %begins, %range : tensor<256xi32>
  %ws = tt.splat %width : i32 -> tensor<256xi32>
  %row = arith.divsi %i, %ws : tensor<256xi32>
  %column = arith.remsi %i, %ws : tensor<256xi32>
  %c3 = arith.constant dense<3> : tensor<256xi32>
  %start = arith.muli %row, %c3 : tensor<256xi32>
  %c2 = arith.constant dense<2> : tensor<256xi32>
  %second = arith.muli %column, %c2 : tensor<256xi32>
  %where = arith.addi %start, %second : tensor<256xi32>
  %middle = tt.addptr %p, %c1000 : !tt.ptr<f32>, i32
  %from = tt.splat %middle : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %a = tt.addptr %from, %where : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %a : tensor<256x!tt.ptr<f32>>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %sum = arith.addf %x, %one : tensor<256xf32>
  %target = tt.addptr %middle, %to : !tt.ptr<f32>, i32
  %stored = tt.splat %target : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %b = tt.addptr %stored, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %b, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}
