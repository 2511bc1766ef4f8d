// Where a condition that is the same for all of a tile is true, the loop has no
// mask, and reads as the processor prefetches; elsewhere nothing is stored.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 9 f32[4,512]=range f32[9,512]=full:7 i32=4 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[4,512]=range f32[9,512]=full:7 i32=4 --expect 1=%t.npy

// CHECK:      nest [512] axis 0 lanes 8
// CHECK-NEXT:   mask %{{.*}}() uniform, else nothing
// CHECK:      {{^}}full:
// CHECK:      load <8 x float>,
// CHECK-NEXT: getelementptr
// CHECK-NEXT: store <8 x float>

tt.func public @row(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %rows: i32) {
  %row = tt.get_program_id x : i32
  %below = arith.cmpi slt, %row, %rows : i32
  %mask = tt.splat %below : i1 -> tensor<512xi1>
  %c512 = arith.constant 512 : i32
  %start = arith.muli %row, %c512 : i32
  %starts = tt.splat %start : i32 -> tensor<512xi32>
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %offs = arith.addi %starts, %range : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %from = tt.addptr %xs, %offs : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %from, %mask : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.addptr %ys, %offs : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %to, %v, %mask : tensor<512x!tt.ptr<f32>>
  tt.return
}
