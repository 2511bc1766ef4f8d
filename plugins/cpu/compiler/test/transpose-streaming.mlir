// Blocks that are transposed write parts of cache lines, so their stores do not
// bypass the caches; those of rows do.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-transpose --stop-after llir -o - | FileCheck %s --check-prefix=ROWS

// CHECK: transpose 8 along 0
// CHECK-NOT: !nontemporal
// ROWS: !nontemporal

tt.func public @transpose(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %d = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tt.broadcast %c : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tt.broadcast %d : tensor<1x64xi32> -> tensor<64x64xi32>
  %width = arith.constant dense<1024> : tensor<64x64xi32>
  %down = arith.muli %j, %width : tensor<64x64xi32>
  %from = arith.addi %down, %i : tensor<64x64xi32>
  %across = arith.muli %i, %width : tensor<64x64xi32>
  %to = arith.addi %across, %j : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %source = tt.addptr %xs, %from : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %target = tt.addptr %ys, %to : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %value = tt.load %source : tensor<64x64x!tt.ptr<f32>>
  tt.store %target, %value : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
