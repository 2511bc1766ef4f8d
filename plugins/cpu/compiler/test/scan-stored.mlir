// Stores of what a scan along the last dimension computes, at the same index, share its
// nest, and no buffer keeps it. Where all masks are true it needs none.
// RUN: split-file %s %t
// RUN: nereid compile %t/scans.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/others.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=OTHERS

// In place, to other memory, to memory ahead of what is read, to places that repeat.
// RUN: nereid run %t/scans.mlir --target cpu --grid 2 -O fast_paths=none i32[400]=random:1:0:1000 i32=200 i32=190 i32=0 i32=1 --save 0=%t.0.npy
// RUN: nereid run %t/scans.mlir --target cpu --grid 2 i32[400]=random:1:0:1000 i32=200 i32=190 i32=0 i32=1 --expect 0=%t.0.npy,0,0
// RUN: nereid run %t/scans.mlir --target cpu --grid 2 -O fast_paths=none i32[1000]=random:2:0:1000 i32=200 i32=33 i32=400 i32=1 --save 0=%t.1.npy
// RUN: nereid run %t/scans.mlir --target cpu --grid 2 i32[1000]=random:2:0:1000 i32=200 i32=33 i32=400 i32=1 --expect 0=%t.1.npy,0,0
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 -O fast_paths=none i32[400]=random:3:0:1000 i32=200 i32=128 i32=7 i32=1 --save 0=%t.2.npy
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 i32[400]=random:3:0:1000 i32=200 i32=128 i32=7 i32=1 --expect 0=%t.2.npy,0,0
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 -O fast_paths=none i32[600]=random:4:0:1000 i32=200 i32=0 i32=200 i32=2 --save 0=%t.3.npy
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 i32[600]=random:4:0:1000 i32=200 i32=0 i32=200 i32=2 --expect 0=%t.3.npy,0,0
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 -O fast_paths=none i32[600]=random:5:0:1000 i32=200 i32=300 i32=250 i32=0 --save 0=%t.4.npy
// RUN: nereid run %t/scans.mlir --target cpu --grid 1 i32[600]=random:5:0:1000 i32=200 i32=300 i32=250 i32=0 --expect 0=%t.4.npy,0,0
// The same from the last element to the first.
// RUN: sed 's/reverse = false/reverse = true/' %t/scans.mlir > %t.down.mlir
// RUN: nereid run %t.down.mlir --target cpu --grid 2 -O fast_paths=none i32[400]=random:1:0:1000 i32=200 i32=190 i32=0 i32=1 --save 0=%t.down.0.npy
// RUN: nereid run %t.down.mlir --target cpu --grid 2 i32[400]=random:1:0:1000 i32=200 i32=190 i32=0 i32=1 --expect 0=%t.down.0.npy,0,0
// RUN: nereid run %t.down.mlir --target cpu --grid 2 -O fast_paths=none i32[1000]=random:2:0:1000 i32=200 i32=33 i32=400 i32=1 --save 0=%t.down.1.npy
// RUN: nereid run %t.down.mlir --target cpu --grid 2 i32[1000]=random:2:0:1000 i32=200 i32=33 i32=400 i32=1 --expect 0=%t.down.1.npy,0,0
// RUN: nereid run %t.down.mlir --target cpu --grid 1 -O fast_paths=none i32[400]=random:3:0:1000 i32=200 i32=128 i32=7 i32=1 --save 0=%t.down.2.npy
// RUN: nereid run %t.down.mlir --target cpu --grid 1 i32[400]=random:3:0:1000 i32=200 i32=128 i32=7 i32=1 --expect 0=%t.down.2.npy,0,0
// RUN: nereid run %t.down.mlir --target cpu --grid 1 -O fast_paths=none i32[600]=random:4:0:1000 i32=200 i32=0 i32=200 i32=2 --save 0=%t.down.3.npy
// RUN: nereid run %t.down.mlir --target cpu --grid 1 i32[600]=random:4:0:1000 i32=200 i32=0 i32=200 i32=2 --expect 0=%t.down.3.npy,0,0
// RUN: nereid run %t.down.mlir --target cpu --grid 1 -O fast_paths=none i32[600]=random:5:0:1000 i32=200 i32=300 i32=250 i32=0 --save 0=%t.down.4.npy
// RUN: nereid run %t.down.mlir --target cpu --grid 1 i32[600]=random:5:0:1000 i32=200 i32=300 i32=250 i32=0 --expect 0=%t.down.4.npy,0,0

// CHECK: copy %{{.*}} to b
// CHECK-NEXT: nest [128] axis 0 lanes 16
// CHECK-NEXT: mask {{.*}} below a bound
// CHECK-NEXT: scan
// CHECK-NEXT: store
// An exclusive scan subtracts in registers. What a reverse one reads is copied if what
// it stores overlaps it at all.
// OTHERS: nest [64] axis 0 lanes 16
// OTHERS-NEXT: scan
// OTHERS-NEXT: store
// OTHERS-NEXT: copy {{.*}} overlaps
// OTHERS-NEXT: nest [64] axis 0 lanes 16
// OTHERS-NEXT: scan
// OTHERS-NEXT: store
// OTHERS: store <16 x float> %{{.*}}, ptr %carry
// OTHERS-NOT: !alias.scope
// OTHERS: store <16 x float> %{{.*}}, ptr %arg1

//--- scans.mlir
tt.func public @scans(%p: !tt.ptr<i32>, %pitch: i32, %count: i32, %ahead: i32, %stride: i32) {
  %program = tt.get_program_id x : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %counts = tt.splat %count : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %counts : tensor<128xi32>
  %first = arith.muli %program, %pitch : i32
  %px = tt.addptr %p, %first : !tt.ptr<i32>, i32
  %py = tt.addptr %px, %ahead : !tt.ptr<i32>, i32
  %sx = tt.splat %px : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ax = tt.addptr %sx, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %zero = arith.constant dense<0> : tensor<128xi32>
  %x = tt.load %ax, %mask, %zero : tensor<128x!tt.ptr<i32>>
  %sums = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tt.scan.return %sum : i32
  }) : (tensor<128xi32>) -> tensor<128xi32>
  %strides = tt.splat %stride : i32 -> tensor<128xi32>
  %places = arith.muli %i, %strides : tensor<128xi32>
  %sy = tt.splat %py : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ay = tt.addptr %sy, %places : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %ay, %sums, %mask : tensor<128x!tt.ptr<i32>>
  tt.return
}

//--- others.mlir
tt.func public @others(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %r: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %sp = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ap = tt.addptr %sp, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %ap : tensor<64x!tt.ptr<f32>>
  %sums = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %before = arith.subf %sums, %x : tensor<64xf32>
  %sq = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %aq = tt.addptr %sq, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %aq, %before : tensor<64x!tt.ptr<f32>>
  %y = tt.load %aq : tensor<64x!tt.ptr<f32>>
  %down = "tt.scan"(%y) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %sr = tt.splat %r : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ar = tt.addptr %sr, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %ar, %down : tensor<64x!tt.ptr<f32>>
  tt.return
}
