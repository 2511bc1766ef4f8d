// A loop in a loop goes on with the tile that this carries, in the same buffer, unless
// it reads what the tile was before.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[3,64]=random f32[2,64]=zeros i32=3 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[3,64]=random f32[2,64]=zeros i32=3 --expect 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[3,64]=random f32[2,64]=zeros i32=0 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[3,64]=random f32[2,64]=zeros i32=0 --expect 1=%t.npy

// CHECK: carry %[[SUM:arg[0-9]+]] in b[[SUMS:[0-9]+]]{{$}}
// CHECK-NEXT: carry %[[LAST:arg[0-9]+]] in b[[LASTS:[0-9]+]]
// CHECK-NOT: materialize %[[SUM]]
// CHECK: materialize %[[LAST]] in b[[INNER:[0-9]+]]{{$}}
// CHECK-NOT: materialize
// CHECK: scf.for
// CHECK: carry %{{arg[0-9]+}} in b[[SUMS]]{{$}}
// CHECK-NEXT: carry %{{arg[0-9]+}} in b[[INNER]]
// CHECK: materialize %{{[0-9]+}} in b[[SUMS]]{{$}}

tt.func public @sums(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %n: i32) {
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pas = tt.splat %pa : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %sums:2 = scf.for %i = %first to %n step %one iter_args(%sum = %ones, %last = %ones) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %inner:2 = scf.for %j = %first to %n step %one iter_args(%s = %sum, %l = %last) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
      %start = arith.muli %j, %width : i32
      %starts = tt.splat %start : i32 -> tensor<64xi32>
      %offsets = arith.addi %starts, %range : tensor<64xi32>
      %places = tt.addptr %pas, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %x = tt.load %places : tensor<64x!tt.ptr<f32>>
      %added = arith.addf %s, %x : tensor<64xf32>
      %product = arith.mulf %l, %x : tensor<64xf32>
      %mean = arith.addf %product, %last : tensor<64xf32>
      scf.yield %added, %mean : tensor<64xf32>, tensor<64xf32>
    }
    scf.yield %inner#0, %inner#1 : tensor<64xf32>, tensor<64xf32>
  }
  %pcs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %pcs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %sums#0 : tensor<64x!tt.ptr<f32>>
  %after = arith.constant dense<64> : tensor<64xi32>
  %next = arith.addi %range, %after : tensor<64xi32>
  %to2 = tt.addptr %pcs, %next : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to2, %sums#1 : tensor<64x!tt.ptr<f32>>
  tt.return
}
