// Programs that reduce columns take turns, so that a page is read by all of them
// before the next: where rows are a page or more apart, or an argument, and what a
// program has of one is short. Not if rows are near each other.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-interleaved-programs --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: sed s/1024/1000/g %s > %t-near.mlir
// RUN: nereid compile %t-near.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/%cst = .*/%cst = tt.splat %rows : i32 -> tensor<8x1xi32>/' %s > %t-argument.mlir
// RUN: nereid compile %t-argument.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/16/2048/g' %s > %t-long.mlir
// RUN: nereid compile %t-long.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: nereid run %s --target cpu --grid 64 f32[512,1024]=random f32[1024]=zeros i32=512 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 64 f32[512,1024]=random f32[1024]=zeros i32=512 --expect 1=%t.npy

// CHECK: b0 [16] f32 x64 at
// CHECK: scf.for, up to 64 programs take turns{{$}}
// ALONE: scf.for{{$}}

tt.func public @maxima(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %rows: i32) {
  %none = arith.constant dense<0xFF800000> : tensor<16xf32>
  %cst = arith.constant dense<1024> : tensor<8x1xi32>
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %width = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %width : i32
  %firsts = tt.splat %first : i32 -> tensor<16xi32>
  %place = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %column = arith.addi %firsts, %place : tensor<16xi32>
  %line = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %most = scf.for %k = %c0 to %rows step %c8 iter_args(%before = %none) -> (tensor<16xf32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<8xi32>
    %row = arith.addi %ks, %line : tensor<8xi32>
    %row2 = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %start = arith.muli %row2, %cst : tensor<8x1xi32>
    %starts = tt.broadcast %start : tensor<8x1xi32> -> tensor<8x16xi32>
    %column2 = tt.expand_dims %column {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %columns = tt.broadcast %column2 : tensor<1x16xi32> -> tensor<8x16xi32>
    %offs = arith.addi %starts, %columns : tensor<8x16xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
    %from = tt.addptr %xs, %offs : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
    %v = tt.load %from : tensor<8x16x!tt.ptr<f32>>
    %here = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %1 = arith.maxnumf %a, %b : f32
      tt.reduce.return %1 : f32
    }) : (tensor<8x16xf32>) -> tensor<16xf32>
    %next = arith.maxnumf %before, %here : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %to = tt.addptr %outs, %column : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %to, %most : tensor<16x!tt.ptr<f32>>
  tt.return
}
