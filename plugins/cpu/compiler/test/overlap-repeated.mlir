// A row that is added to each row of a matrix, seen as one, is read in the nest of the store, in
// pieces that end where the row does: it was not just stored.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 3 f32[1500]=random f32[48]=random f32[1500]=zeros i32=48 i32=1500 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[1500]=random f32[48]=random f32[1500]=zeros i32=48 i32=1500 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 3 f32[1500]=random f32[7]=random f32[1500]=zeros i32=7 i32=1500 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[1500]=random f32[7]=random f32[1500]=zeros i32=7 i32=1500 --expect 2=%t.npy,0,0

// CHECK-NOT: materialize
// CHECK: copy %[[ROW:.+]] to b{{.+}} if %{{.+}} overlaps
// CHECK: nest [512]
// CHECK: pieces of %{{.+}}, contiguous, ends by masks
// CHECK-NEXT: store

tt.func public @add_row(%x: !tt.ptr<f32>, %row: !tt.ptr<f32>, %out: !tt.ptr<f32>, %width: i32, %count: i32) {
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c512 : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %starts = tt.splat %start : i32 -> tensor<512xi32>
  %index = arith.addi %starts, %i : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %inside = arith.cmpi slt, %index, %counts : tensor<512xi32>
  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %column = arith.remsi %index, %widths : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %xs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %px, %inside : tensor<512x!tt.ptr<f32>>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %pr = tt.addptr %rows, %column : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %r = tt.load %pr, %inside : tensor<512x!tt.ptr<f32>>
  %sum = arith.addf %v, %r : tensor<512xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %po = tt.addptr %outs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %po, %sum, %inside : tensor<512x!tt.ptr<f32>>
  tt.return
}
