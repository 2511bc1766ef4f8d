// A loop that loads and stores at ascending addresses is correct if the store
// is at or behind the load; only a store ahead of it aliases later loads. The
// kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 f32[1030]=range i32=0 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1030]=range i32=1 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1030]=range i32=-1 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1030]=range i32=1 --no-cache -O fast_paths=none
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// From 1 to 4095 bytes ahead.
// CHECK: icmp ult i64 %{{[0-9]+}}, 4095

tt.func public @move(%p: !tt.ptr<f32>, %by: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %three = arith.constant 3 : i32
  %threes = arith.constant dense<3> : tensor<1024xi32>
  %a = tt.addptr %p, %three : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %by : !tt.ptr<f32>, i32
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %as, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to = tt.addptr %bs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %from : tensor<1024x!tt.ptr<f32>>
  tt.store %to, %x : tensor<1024x!tt.ptr<f32>>
  %y = tt.load %to : tensor<1024x!tt.ptr<f32>>
  %sum = arith.addi %range, %threes : tensor<1024xi32>
  %expected = arith.sitofp %sum : tensor<1024xi32> to tensor<1024xf32>
  %same = arith.cmpf oeq, %y, %expected : tensor<1024xf32>
  tt.assert %same, "a load saw a later store" : tensor<1024xi1>
  tt.return
}
