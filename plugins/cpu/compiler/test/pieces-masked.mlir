// Pieces of 28 elements, less than two vectors of 16, are vectors by masks, with
// no division, and no access to one lane at a time; so are those of 100 beyond
// their vectors, and a load of descending addresses beside them. A nest that
// reduces has no such ends. Stores that bypass the caches are of whole vectors
// that are aligned, and remain so.
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v2 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// DEFINE: %{run} = nereid run %s --target cpu --grid 3 f32[1200]=random:1 f32[64]=random:2 f32[768]=random:3 i32=700
// RUN: %{run} -O fast_paths=none --save 2=%t.npy
// RUN: %{run} --expect 2=%t.npy,0,0
// RUN: %{run} -O fast_paths=all,-split-index --expect 2=%t.npy,0,0
// RUN: %{run} -O cpu=x86-64-v3 -O arch=x86_64 --expect 2=%t.npy,0,0

// CHECK: pieces of %{{.*}}, constant, ends by masks
// CHECK: pieces of %{{.*}}, contiguous, ends by masks
// CHECK-NOT: call i32 @llvm.vector.reduce
// CHECK: [[LANES:%[0-9]+]] = icmp slt <16 x i32> <i32 0, i32 1, i32 2{{.*}}, %.splat
// CHECK: call <16 x float> @llvm.masked.load.v16f32.p0(ptr {{.*}}, i32 4, <16 x i1> [[LANES]]
// NONE-NOT: ends by masks
tt.func public @crop(%x: !tt.ptr<f32>, %bias: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c256 = arith.constant 256 : i32
  %c28 = arith.constant dense<28> : tensor<256xi32>
  %c33 = arith.constant dense<33> : tensor<256xi32>
  %c100 = arith.constant dense<100> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %begin = arith.muli %pid, %c256 : i32
  %begins = tt.splat %begin : i32 -> tensor<256xi32>
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %begins, %range : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %row = arith.divsi %i, %c28 : tensor<256xi32>
  %column = arith.remsi %i, %c28 : tensor<256xi32>
  %start = arith.muli %row, %c33 : tensor<256xi32>
  %place = arith.addi %start, %column : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %place : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %a = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>
  %group = arith.divsi %i, %c100 : tensor<256xi32>
  %bs = tt.splat %bias : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %group : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %b = tt.load %bp, %mask : tensor<256x!tt.ptr<f32>>
  %c1000 = arith.constant dense<1000> : tensor<256xi32>
  %down = arith.subi %c1000, %i : tensor<256xi32>
  %dp = tt.addptr %xs, %down : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %d = tt.load %dp, %mask : tensor<256x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %all = arith.addf %sum, %d : tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %all, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}
