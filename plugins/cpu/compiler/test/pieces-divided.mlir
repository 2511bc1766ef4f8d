// A quotient that is divided again ends no pieces: how small that divisor is
// does not matter, as by 2 in an image that is enlarged.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 f32[256]=range f32[512]=zeros i32=64 i32=2 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=range f32[512]=zeros i32=64 i32=2 -O fast_paths=none --expect 1=%t.npy,0,0

// CHECK-LABEL: tile program @enlarged
// CHECK: pieces of [[ROW:%[0-9]+]], constant
// CHECK-NEXT: pieces of [[DIVIDED:%[0-9]+]], constant
// CHECK-NEXT: pieces of [[COLUMN:%[0-9]+]], contiguous
// That of the row and of the column are compared with the shortest piece.
// CHECK-COUNT-2: icmp sge i64 %{{[0-9]+}}, 6{{$}}
// CHECK-NOT: icmp sge i64 %{{[0-9]+}}, 6{{$}}

tt.func public @enlarged(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %columns: i32, %factor: i32) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %cs = tt.splat %columns : i32 -> tensor<512xi32>
  %fs = tt.splat %factor : i32 -> tensor<512xi32>
  %c = arith.remsi %i, %cs : tensor<512xi32>
  %t = arith.divsi %i, %cs : tensor<512xi32>
  %r = arith.divsi %t, %fs : tensor<512xi32>
  %start = arith.muli %r, %cs : tensor<512xi32>
  %from = arith.addi %start, %c : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xi = tt.addptr %xs, %from : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %xi : tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yi = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yi, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}
