// Quotients and remainders of the index that are kept in bounds before they are
// an address: the row of a padded image is clamped, the column is mirrored at
// both ends. What is divided ends pieces nevertheless. A divisor of zero is one
// whose quotients are not selected.
// DEFINE: %{run} = nereid run %s --target cpu --grid 3 f32[1024]=random:1 f32[768]=zeros
// RUN: %{run} i32=60 i32=2 i32=3 i32=700 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=60 i32=2 i32=3 i32=700 --expect 1=%t.npy,0,0
// RUN: %{run} i32=60 i32=2 i32=3 i32=700 -O fast_paths=all,-pieces --expect 1=%t.npy,0,0
// RUN: %{run} i32=33 i32=32 i32=1 i32=768 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=33 i32=32 i32=1 i32=768 --expect 1=%t.npy,0,0
// RUN: %{run} i32=7 i32=1 i32=0 i32=701 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=7 i32=1 i32=0 i32=701 --expect 1=%t.npy,0,0
// RUN: %{run} i32=100 i32=5 i32=0 i32=701 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=100 i32=5 i32=0 i32=701 --expect 1=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK-DAG: pieces of %{{.*}}, constant
// CHECK-DAG: pieces of %{{.*}}, contiguous

tt.func public @mirrored(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %columns: i32, %pad: i32, %planes: i32, %n: i32) {
  %c256 = arith.constant 256 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant dense<6> : tensor<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c256 : i32
  %begins = tt.splat %begin : i32 -> tensor<256xi32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %begins, %range : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %cs = tt.splat %columns : i32 -> tensor<256xi32>
  %pads = tt.splat %pad : i32 -> tensor<256xi32>
  %row = arith.divsi %i, %cs : tensor<256xi32>
  %column = arith.remsi %i, %cs : tensor<256xi32>
  %ps = tt.splat %planes : i32 -> tensor<256xi32>
  %some = arith.cmpi sgt, %ps, %zero : tensor<256xi32>
  %plane = arith.divsi %row, %ps : tensor<256xi32>
  %number = arith.select %some, %plane, %row : tensor<256xi1>, tensor<256xi32>
  %least = arith.maxsi %number, %zero : tensor<256xi32>
  %clamped = arith.minsi %least, %c6 : tensor<256xi32>
  %moved = arith.subi %column, %pads : tensor<256xi32>
  %minus = arith.subi %zero, %moved : tensor<256xi32>
  %below = arith.cmpi slt, %moved, %zero : tensor<256xi32>
  %left = arith.select %below, %minus, %moved : tensor<256xi1>, tensor<256xi32>
  %inner = arith.subi %columns, %pad : i32
  %last = arith.subi %inner, %c1 : i32
  %lasts = tt.splat %last : i32 -> tensor<256xi32>
  %above = arith.cmpi sgt, %left, %lasts : tensor<256xi32>
  %twice = arith.addi %lasts, %lasts : tensor<256xi32>
  %back = arith.subi %twice, %left : tensor<256xi32>
  %place = arith.select %above, %back, %left : tensor<256xi1>, tensor<256xi32>
  %first = arith.muli %clamped, %cs : tensor<256xi32>
  %offset = arith.addi %first, %place : tensor<256xi32>
  %c64 = arith.constant dense<64> : tensor<256xi32>
  %inside = arith.addi %offset, %c64 : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %inside : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %a = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %a, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}
