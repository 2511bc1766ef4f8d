// Where an index is divided, the axis is emitted in pieces in which quotients
// stay the same: a roll of rows (two remainders, one of another), a bias for
// groups of columns, and rows that end within a vector, before 0, or have no
// elements. Divisors below two vectors are left to each lane.
// DEFINE: %{run} = nereid run %s --target cpu --grid 3 f32[1024]=random:1 f32[1024]=random:2 f32[1024]=zeros
// RUN: %{run} i32=100 i32=37 i32=7 i32=768 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32=100 i32=37 i32=7 i32=768 --expect 2=%t.npy,0,0
// RUN: %{run} i32=64 i32=60 i32=0 i32=768 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32=64 i32=60 i32=0 i32=768 --expect 2=%t.npy,0,0
// RUN: %{run} i32=40 i32=3 i32=-150 i32=700 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32=40 i32=3 i32=-150 i32=700 --expect 2=%t.npy,0,0
// RUN: %{run} i32=5 i32=3 i32=200 i32=701 -O fast_paths=none --save 2=%t.npy
// RUN: %{run} i32=5 i32=3 i32=200 i32=701 --expect 2=%t.npy,0,0
// RUN: %{run} i32=5 i32=3 i32=200 i32=701 -O fast_paths=all,-pieces --expect 2=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu --stop-after llir -O fast_paths=all,-pieces -o - | FileCheck %s --check-prefix=NONE

// CHECK-DAG: pieces of %{{.*}}, constant
// CHECK-DAG: pieces of %{{.*}}, contiguous
// NONE-NOT: pieces of

tt.func public @rolled(%x: !tt.ptr<f32>, %bias: !tt.ptr<f32>, %out: !tt.ptr<f32>, %columns: i32, %shift: i32, %first: i32, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c256 : i32
  %begins = tt.splat %begin : i32 -> tensor<256xi32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %begins, %range : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %firsts = tt.splat %first : i32 -> tensor<256xi32>
  %moved = arith.addi %i, %firsts : tensor<256xi32>
  %cs = tt.splat %columns : i32 -> tensor<256xi32>
  %row = arith.divsi %moved, %cs : tensor<256xi32>
  %place = arith.remsi %moved, %cs : tensor<256xi32>
  %shifts = tt.splat %shift : i32 -> tensor<256xi32>
  %left = arith.addi %place, %shifts : tensor<256xi32>
  %column = arith.remsi %left, %cs : tensor<256xi32>
  %c200 = arith.constant dense<200> : tensor<256xi32>
  %offset = arith.addi %column, %c200 : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offset : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %a = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>
  %c300 = arith.constant dense<300> : tensor<256xi32>
  %group = arith.addi %row, %c300 : tensor<256xi32>
  %bs = tt.splat %bias : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %group : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %b = tt.load %bp, %mask : tensor<256x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %placed = arith.sitofp %place : tensor<256xi32> to tensor<256xf32>
  %all = arith.addf %sum, %placed : tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %all, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}
