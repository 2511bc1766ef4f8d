// Both sides of a short branch that yields tiles are computed, in the nest of what uses
// them: the first step of Welford's mean of torch.compile. Not so if a side could trap.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// DEFINE: %{inputs} = f32[1024]=random:1 i32[1024]=random:2:0:9 f32[256]=zeros i32[256]=zeros i32=4
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none %{inputs} --save 2=%t.mean.npy --save 3=%t.quotient.npy
// RUN: nereid run %s --target cpu --grid 1 %{inputs} --expect 2=%t.mean.npy,0,0 --expect 3=%t.quotient.npy,0,0

// CHECK: scf.for
// CHECK: nest [256]
// CHECK-NEXT: materialize
// CHECK-NEXT: nest
// CHECK-NEXT: store
// CHECK: scf.if
// CHECK: store

tt.func public @branches(%x: !tt.ptr<f32>, %k: !tt.ptr<i32>, %mean: !tt.ptr<f32>, %quotient: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %none = arith.constant dense<0> : tensor<256xi32>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %m = scf.for %row = %c0 to %n step %c1 iter_args(%old = %zero) -> (tensor<256xf32>) : i32 {
    %start = arith.muli %row, %c256 : i32
    %starts = tt.splat %start : i32 -> tensor<256xi32>
    %place = arith.addi %starts, %i : tensor<256xi32>
    %px = tt.addptr %sx, %place : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %px : tensor<256x!tt.ptr<f32>>
    %isFirst = arith.cmpi eq, %row, %c0 : i32
    %new = scf.if %isFirst -> (tensor<256xf32>) {
      scf.yield %v : tensor<256xf32>
    } else {
      %number = arith.addi %row, %c1 : i32
      %weight = arith.sitofp %number : i32 to f32
      %weights = tt.splat %weight : f32 -> tensor<256xf32>
      %delta = arith.subf %v, %old : tensor<256xf32>
      %step = arith.divf %delta, %weights : tensor<256xf32>
      %next = arith.addf %old, %step : tensor<256xf32>
      scf.yield %next : tensor<256xf32>
    }
    scf.yield %new : tensor<256xf32>
  }
  %sm = tt.splat %mean : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pm = tt.addptr %sm, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %pm, %m : tensor<256x!tt.ptr<f32>>
  %sk = tt.splat %k : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %pk = tt.addptr %sk, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %divisor = tt.load %pk : tensor<256x!tt.ptr<i32>>
  %isMore = arith.cmpi sgt, %n, %c256 : i32
  %q = scf.if %isMore -> (tensor<256xi32>) {
    %quotients = arith.divsi %i, %divisor : tensor<256xi32>
    scf.yield %quotients : tensor<256xi32>
  } else {
    scf.yield %none : tensor<256xi32>
  }
  %sq = tt.splat %quotient : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %pq = tt.addptr %sq, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %pq, %q : tensor<256x!tt.ptr<i32>>
  tt.return
}
