// A matrix and its transpose are added, in place or not: what is read is copied
// where the sums overlap it. The copy of the transpose is in the order of memory,
// along dimension 0, so that blocks are read from it as from the original.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// DEFINE: %{distance} = 0
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 --no-cache f32[8192]=random:1 i32=%{distance}
// DEFINE: %{check} = %{run} -O fast_paths=none --save 0=%t.npy && %{run} --expect 0=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{distance} = 70
// RUN: %{check}
// REDEFINE: %{distance} = 4096
// RUN: %{check}

// CHECK: copy %[[ROWS:[0-9]+]] to b{{[0-9]+}} if
// CHECK: copy %[[COLUMNS:[0-9]+]] to b{{[0-9]+}} along 0 if
// CHECK: nest [64x64] axis 1 lanes 16
// CHECK-NEXT: transpose 8 along 0: %[[COLUMNS]]
// CHECK-NOT: <16 x ptr>

tt.func public @both(%p: !tt.ptr<f32>, %distance: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tt.broadcast %c : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tt.broadcast %d : tensor<1x64xi32> -> tensor<64x64xi32>
  %width = arith.constant dense<64> : tensor<64x64xi32>
  %down = arith.muli %j, %width : tensor<64x64xi32>
  %column = arith.addi %down, %i : tensor<64x64xi32>
  %across = arith.muli %i, %width : tensor<64x64xi32>
  %row = arith.addi %across, %j : tensor<64x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %p, %distance : !tt.ptr<f32>, i32
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %rows = tt.addptr %ps, %row : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %columns = tt.addptr %ps, %column : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sums = tt.addptr %tos, %row : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %rows : tensor<64x64x!tt.ptr<f32>>
  %y = tt.load %columns : tensor<64x64x!tt.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<64x64xf32>
  tt.store %sums, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
