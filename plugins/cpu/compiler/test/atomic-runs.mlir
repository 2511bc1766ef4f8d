// Values for one address are combined before they update it: those of the pieces of an index,
// with several vectors in each, those of numbers that turn out to be the same, and all of a tile.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefix=ORDER
// RUN: nereid compile %s --target cpu -O fast_paths=all,-atomic-runs --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=full:77 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --save 1=%t.1.npy --save 3=%t.3.npy --save 4=%t.4.npy
// RUN: nereid run %s --target cpu --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=full:77 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --expect 1=%t.1.npy,0,0 --expect 3=%t.3.npy,0,0 --expect 4=%t.4.npy,0,0
// RUN: nereid run %s --target cpu -O threads=4 -O vector_bits=256 --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=full:77 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --expect 1=%t.1.npy,0,0 --expect 3=%t.3.npy,0,0 --expect 4=%t.4.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=random:3:0:128 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --save 1=%t.1.npy --save 3=%t.3.npy --save 4=%t.4.npy
// RUN: nereid run %s --target cpu --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=random:3:0:128 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --expect 1=%t.1.npy,0,0 --expect 3=%t.3.npy,0,0 --expect 4=%t.4.npy,0,0
// RUN: nereid run %s --target cpu -O threads=4 -O vector_bits=256 --grid 4 f32[2048]=range f32[128]=zeros i32[2048]=random:3:0:128 f32[128]=zeros i32[2]=full:-5 i32=70 i32=1990 --expect 1=%t.1.npy,0,0 --expect 3=%t.3.npy,0,0 --expect 4=%t.4.npy,0,0

// CHECK: nest [512] axis 0 lanes 1 unroll 4 runs of 16
// CHECK: pieces of {{.+}}, constant, ends by masks
// CHECK: nest [512] axis 0 lanes 1 unroll 1 runs of 16
// CHECK: nest [512] axis 0 lanes 1 unroll 8 runs of 16
// Integers may be combined in any order.
// ORDER-COUNT-1: runs of
// ORDER-NOT: runs of
// OFF-NOT: runs of

tt.func public @runs(%x: !tt.ptr<f32>, %sums: !tt.ptr<f32>, %ids: !tt.ptr<i32>, %segments: !tt.ptr<f32>, %most: !tt.ptr<i32>, %width: i32, %count: i32) {
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c512 : i32
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %index = arith.addi %firsts, %range : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %inside = arith.cmpi slt, %index, %counts : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %from = tt.addptr %xs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %value = tt.load %from, %inside : tensor<512x!tt.ptr<f32>>

  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %row = arith.divsi %index, %widths : tensor<512xi32>
  %rows = tt.splat %sums : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %sum = tt.addptr %rows, %row : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %sum, %value, %inside : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>, tensor<512xi1>) -> tensor<512xf32>

  %names = tt.splat %ids : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %name = tt.addptr %names, %index : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %id = tt.load %name, %inside : tensor<512x!tt.ptr<i32>>
  %all = tt.splat %segments : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %segment = tt.addptr %all, %id : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %old1 = tt.atomic_rmw fadd, relaxed, gpu, %segment, %value, %inside : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>, tensor<512xi1>) -> tensor<512xf32>

  %mosts = tt.splat %most : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %old2 = tt.atomic_rmw max, relaxed, gpu, %mosts, %id, %inside : (tensor<512x!tt.ptr<i32>>, tensor<512xi32>, tensor<512xi1>) -> tensor<512xi32>
  tt.return
}
