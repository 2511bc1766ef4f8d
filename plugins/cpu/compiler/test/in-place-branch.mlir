// A tile that one side of a branch in a loop leaves as it is is updated in place by the
// other, unless what it was before is read later.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[7,64]=random f32[2,64]=zeros i32[7]=range i32=7 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[7,64]=random f32[2,64]=zeros i32[7]=range i32=7 --expect 1=%t.npy

// CHECK: carry %arg{{[0-9]+}} in b[[SUM:[0-9]+]]{{$}}
// CHECK-NEXT: carry %[[LAST:arg[0-9]+]] in b{{[0-9]+}}, b{{[0-9]+}}
// CHECK: scf.if
// CHECK-NEXT: nest
// CHECK-NEXT: materialize %{{[0-9]+}} in b[[SUM]]{{$}}
// CHECK-NOT: materialize
// CHECK: scf.if
// CHECK: materialize %[[LAST]] in b[[COPY:[0-9]+]]{{$}}
// CHECK: materialize %{{[0-9]+}} in b[[COPY]]{{$}}

tt.func public @sums(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %flags: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %width = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pas = tt.splat %pa : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %sums:3 = scf.for %i = %first to %n step %one iter_args(%sum = %zero, %last = %zero, %seen = %zero) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %start = arith.muli %i, %width : i32
    %starts = tt.splat %start : i32 -> tensor<64xi32>
    %offsets = arith.addi %starts, %range : tensor<64xi32>
    %places = tt.addptr %pas, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %pf = tt.addptr %flags, %i : !tt.ptr<i32>, i32
    %flag = tt.load %pf : !tt.ptr<i32>
    %odd = arith.andi %flag, %one : i32
    %is_odd = arith.cmpi eq, %odd, %one : i32
    %new_sum = scf.if %is_odd -> (tensor<64xf32>) {
      %x = tt.load %places : tensor<64x!tt.ptr<f32>>
      %added = arith.addf %sum, %x : tensor<64xf32>
      scf.yield %added : tensor<64xf32>
    } else {
      scf.yield %sum : tensor<64xf32>
    }
    %third = arith.remsi %flag, %three : i32
    %is_third = arith.cmpi eq, %third, %two : i32
    %new_last = scf.if %is_third -> (tensor<64xf32>) {
      scf.yield %last : tensor<64xf32>
    } else {
      %x = tt.load %places : tensor<64x!tt.ptr<f32>>
      scf.yield %x : tensor<64xf32>
    }
    %most = arith.maximumf %seen, %last : tensor<64xf32>
    scf.yield %new_sum, %new_last, %most : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %pcs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %pcs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %sums#0 : tensor<64x!tt.ptr<f32>>
  %after = arith.constant dense<64> : tensor<64xi32>
  %next = arith.addi %range, %after : tensor<64xi32>
  %to2 = tt.addptr %pcs, %next : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %both = arith.addf %sums#1, %sums#2 : tensor<64xf32>
  tt.store %to2, %both : tensor<64x!tt.ptr<f32>>
  tt.return
}
