// Loops that compute each element of what they carry from memory that they read little of, or
// by a divided index, run inside nests: a product of columns and rows, and a filter over rows
// that are seen as one, with a loop in the loop. A sum of rows reads whole tiles, and remains.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=HALF
// RUN: nereid compile %s --target cpu -O fast_paths=all,-element-loops --stop-after llir -o - | FileCheck %s --check-prefix=LOOPS
// RUN: nereid run %s --target cpu -O enable_fp_fusion=false -O fast_paths=none --grid 2 f32[4096]=random f32[3,1024]=zeros i32=7 i32=48 i32=900 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O enable_fp_fusion=false --grid 2 f32[4096]=random f32[3,1024]=zeros i32=7 i32=48 i32=900 --expect 1=%t.npy,0,0
// RUN: nereid run %s --target cpu -O enable_fp_fusion=false -O vector_bits=256 --grid 2 f32[4096]=random f32[3,1024]=zeros i32=7 i32=48 i32=900 --expect 1=%t.npy,0,0
// RUN: nereid run %s --target cpu -O enable_fp_fusion=false -O fast_paths=none --grid 2 f32[4096]=random f32[3,1024]=ones i32=0 i32=5 i32=1024 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O enable_fp_fusion=false --grid 2 f32[4096]=random f32[3,1024]=ones i32=0 i32=5 i32=1024 --expect 1=%t.npy,0,0

// CHECK: nest [32x32] axis 1 lanes 16 unroll 2 rows 8 around a loop
// CHECK: nest [512] axis 0 lanes 16 unroll 4 around a loop
// CHECK: pieces of {{.+}}, constant, ends by masks
// CHECK: scf.for
// CHECK-NEXT: carry
// HALF: nest [32x32] axis 1 lanes 8 unroll 4 rows 2 around a loop
// HALF: nest [512] axis 0 lanes 8 unroll 4 around a loop
// LOOPS-NOT: around a loop
// LOOPS-COUNT-4: scf.for

tt.func public @loops(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32, %width: i32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %c1024 = arith.constant 1024 : i32
  %c2048 = arith.constant 2048 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c512 : i32
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r512 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %starts = tt.splat %start : i32 -> tensor<512xi32>
  %index = arith.addi %starts, %r512 : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %inside = arith.cmpi slt, %index, %counts : tensor<512xi32>

  %zero_tile = arith.constant dense<0.0> : tensor<32x32xf32>
  %product = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero_tile) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %k, %width : i32
    %ats = tt.splat %at : i32 -> tensor<32xi32>
    %places = arith.addi %ats, %r32 : tensor<32xi32>
    %p = tt.addptr %xs, %places : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %v = tt.load %p : tensor<32x!tt.ptr<f32>>
    %column = tt.expand_dims %v {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %row = tt.expand_dims %v {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %columns = tt.broadcast %column : tensor<32x1xf32> -> tensor<32x32xf32>
    %rows = tt.broadcast %row : tensor<1x32xf32> -> tensor<32x32xf32>
    %each = arith.mulf %columns, %rows : tensor<32x32xf32>
    %next = arith.addf %sum, %each : tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %flat = tt.reshape %product : tensor<32x32xf32> -> tensor<1024xf32>
  %r1024 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %out1024 = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p0 = tt.addptr %out1024, %r1024 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %isFirst = arith.cmpi eq, %pid, %c0 : i32
  %areFirst = tt.splat %isFirst : i1 -> tensor<1024xi1>
  tt.store %p0, %flat, %areFirst : tensor<1024x!tt.ptr<f32>>

  %x512 = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %zeros = arith.constant dense<0> : tensor<512xi32>
  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %row_of = arith.divsi %index, %widths : tensor<512xi32>
  %place_of = arith.remsi %index, %widths : tensor<512xi32>
  %filtered, %seen, %total = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero, %hits = %zeros, %weight = %c1)
      -> (tensor<512xf32>, tensor<512xi32>, i32) : i32 {
    %inner = scf.for %j = %k to %n step %c1 iter_args(%part = %sum) -> (tensor<512xf32>) : i32 {
      %js = tt.splat %j : i32 -> tensor<512xi32>
      %moved = arith.addi %place_of, %js : tensor<512xi32>
      %isIn = arith.cmpi slt, %moved, %widths : tensor<512xi32>
      %both = arith.andi %isIn, %inside : tensor<512xi1>
      %pitch = arith.muli %row_of, %widths : tensor<512xi32>
      %o = arith.addi %pitch, %moved : tensor<512xi32>
      %p = tt.addptr %x512, %o : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
      %v = tt.load %p, %both, %zero : tensor<512x!tt.ptr<f32>>
      %wp = tt.addptr %x, %j : !tt.ptr<f32>, i32
      %w = tt.load %wp : !tt.ptr<f32>
      %ws = tt.splat %w : f32 -> tensor<512xf32>
      %each = arith.mulf %v, %ws : tensor<512xf32>
      %next = arith.addf %part, %each : tensor<512xf32>
      scf.yield %next : tensor<512xf32>
    }
    %isLarge = arith.cmpf ogt, %inner, %sum : tensor<512xf32>
    %one = arith.extui %isLarge : tensor<512xi1> to tensor<512xi32>
    %weights = tt.splat %weight : i32 -> tensor<512xi32>
    %weighted = arith.muli %one, %weights : tensor<512xi32>
    %next_hits = arith.addi %hits, %weighted : tensor<512xi32>
    %next_weight = arith.addi %weight, %k : i32
    scf.yield %inner, %next_hits, %next_weight : tensor<512xf32>, tensor<512xi32>, i32
  }
  %seen_f = arith.sitofp %seen : tensor<512xi32> to tensor<512xf32>
  %both_f = arith.addf %filtered, %seen_f : tensor<512xf32>
  %out512 = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %second = tt.splat %c1024 : i32 -> tensor<512xi32>
  %o1 = arith.addi %index, %second : tensor<512xi32>
  %p1 = tt.addptr %out512, %o1 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %p1, %both_f, %inside : tensor<512x!tt.ptr<f32>>

  %rows_sum = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<512xf32>) : i32 {
    %at = arith.muli %k, %width : i32
    %ats = tt.splat %at : i32 -> tensor<512xi32>
    %places = arith.addi %ats, %index : tensor<512xi32>
    %p = tt.addptr %x512, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>>
    %next = arith.addf %sum, %v : tensor<512xf32>
    scf.yield %next : tensor<512xf32>
  }
  %third = tt.splat %c2048 : i32 -> tensor<512xi32>
  %o2 = arith.addi %index, %third : tensor<512xi32>
  %p2 = tt.addptr %out512, %o2 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %p2, %rows_sum : tensor<512x!tt.ptr<f32>>
  tt.return
}
