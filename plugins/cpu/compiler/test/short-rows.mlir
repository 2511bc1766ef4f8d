// Rows that are short have no loop, unless a mask or the end of a piece divides
// them: each load then has one stride from row to row, which prefetchers follow.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-row-prefetch --stop-after llir -o - | FileCheck %s --check-prefix=LOOP
// RUN: sed s/64/256/g %s > %t-long.mlir
// RUN: nereid compile %t-long.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=LOOP
// RUN: sed 's/%%value = .*/%%value = tt.load %%from, %%mask : tensor<16x64x!tt.ptr<f32>>/' %s > %t-masked.mlir
// RUN: nereid compile %t-masked.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=MASKED
// RUN: nereid run %s --target cpu --grid 1 f32[4096]=range f32[4096]=zeros i32=50 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[4096]=range f32[4096]=zeros i32=50 --expect 1=%t.npy
// RUN: nereid run %t-masked.mlir --target cpu --grid 1 f32[4096]=range f32[4096]=zeros i32=50 --save 1=%t.npy
// RUN: nereid run %t-masked.mlir --target cpu -O fast_paths=none --grid 1 f32[4096]=range f32[4096]=zeros i32=50 --expect 1=%t.npy

// CHECK:         nest [16x64] axis 1 lanes 8 unroll 2
// CHECK:         no.overlap:
// CHECK-COUNT-8: store <8 x float> {{.*}} !nontemporal
// CHECK-NEXT:    add nuw nsw i64 %{{.*}}, 64
// CHECK-COUNT-8: store <8 x float>
// CHECK-NEXT:    add nuw nsw i64 %{{.*}}, 64
// LOOP:          no.overlap:
// LOOP:          store <8 x float> {{.*}} !nontemporal
// LOOP-NEXT:     add nuw nsw i64 %{{.*}}, 8
// LOOP-COUNT-2:  store <8 x float>
// LOOP-NEXT:     add nuw nsw i64 %{{.*}}, 16
// MASKED:        no.overlap:
// MASKED:        store <8 x float> {{.*}} !nontemporal
// MASKED-NEXT:   add nuw nsw i64 %{{.*}}, 8
// MASKED-COUNT-2: store <8 x float>
// MASKED-NEXT:   add nuw nsw i64 %{{.*}}, 16

tt.func public @rows(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %line = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %line2 = tt.expand_dims %line {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pitch = arith.constant dense<128> : tensor<16x1xi32>
  %start = arith.muli %line2, %pitch : tensor<16x1xi32>
  %starts = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x64xi32>
  %column = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %below = arith.cmpi slt, %column, %ns : tensor<64xi32>
  %below2 = tt.expand_dims %below {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
  %mask = tt.broadcast %below2 : tensor<1x64xi1> -> tensor<16x64xi1>
  %column2 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column2 : tensor<1x64xi32> -> tensor<16x64xi32>
  %place = arith.addi %starts, %columns : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %from = tt.addptr %xs, %place : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %value = tt.load %from : tensor<16x64x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %place : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %to, %value : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
