// Lanes whose distance an argument says, in pieces of rows that are seen as one: where it is two,
// as in a convolution with that stride, they are chosen from vectors of neighbours.
// DEFINE: %{run} = nereid run %s --target cpu --grid 2 f32[4096]=random f32[1000]=zeros i32=1000 i32=48 i32=160
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O fast_paths=all,-strided --stop-after llir -o - | FileCheck %s --check-prefix=APART
// RUN: %{run} i32=0 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=0 --expect 1=%t.npy,0,0
// RUN: %{run} i32=1 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=1 --expect 1=%t.npy,0,0
// RUN: %{run} i32=2 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=2 --expect 1=%t.npy,0,0
// RUN: %{run} i32=2 -O vector_bits=256 --expect 1=%t.npy,0,0
// RUN: %{run} i32=3 -O fast_paths=none --save 1=%t.npy
// RUN: %{run} i32=3 --expect 1=%t.npy,0,0

// CHECK: icmp eq i64 %{{.+}}, 1
// CHECK: icmp eq i64 %{{.+}}, 2
// CHECK: shufflevector
// APART: icmp eq i64 %{{.+}}, 1
// APART-NOT: icmp eq i64 %{{.+}}, 2

tt.func public @every_other(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %count: i32, %width: i32, %pitch: i32, %stride: i32) {
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c512 : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %starts = tt.splat %start : i32 -> tensor<512xi32>
  %index = arith.addi %starts, %i : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %inside = arith.cmpi slt, %index, %counts : tensor<512xi32>
  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %row = arith.divsi %index, %widths : tensor<512xi32>
  %column = arith.remsi %index, %widths : tensor<512xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<512xi32>
  %strides = tt.splat %stride : i32 -> tensor<512xi32>
  %rows = arith.muli %row, %pitches : tensor<512xi32>
  %places = arith.muli %column, %strides : tensor<512xi32>
  %offsets = arith.addi %rows, %places : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %xs, %offsets : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %px, %inside, %zero : tensor<512x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %po = tt.addptr %outs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %po, %v, %inside : tensor<512x!tt.ptr<f32>>
  tt.return
}
