// RUN: nereid-distribute %s | FileCheck %s
// RUN: nereid-distribute --lanes=8 --warps=2 --access-bytes=1 %s | FileCheck %s --check-prefix=NARROW

// Sixteen bytes at once, one layout from load to store; indices are computed
// by each thread.
// CHECK-LABEL: @add
// NARROW-LABEL: @add
tt.func public @add(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  // CHECK-NEXT: %0 [r: 1 2 | l: 4 8 16 32 64 | w: 128 256] recomputed
  // NARROW-NEXT: %0 [r: 16 32 64 128 256 | l: 1 2 4 | w: 8] recomputed
  %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  // CHECK: %3 [r: 1 2 | l: 4 8 16 32 64 | w: 128 256]{{$}}
  // CHECK-NEXT: load of %2: 4 at once
  // NARROW: load of %2: 1 at once
  %3 = tt.load %2 : tensor<512x!tt.ptr<f32>>
  // CHECK: %4 [r: 1 2 | l: 4 8 16 32 64 | w: 128 256]{{$}}
  %4 = arith.addf %3, %3 : tensor<512xf32>
  %5 = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %6 = tt.addptr %5, %0 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  // A mask that may end anywhere: one element at a time, in the same layout.
  %7 = tt.splat %n : i32 -> tensor<512xi32>
  %8 = arith.cmpi slt, %0, %7 : tensor<512xi32>
  // CHECK: store of %6: 1 at once
  tt.store %6, %4, %8 : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Rows are read along their columns, reduced, and the sums broadcast again.
// CHECK-LABEL: @rows
tt.func public @rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c64 = arith.constant dense<64> : tensor<4x1xi32>
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %2 = arith.muli %1, %c64 : tensor<4x1xi32>
  %3 = tt.broadcast %2 : tensor<4x1xi32> -> tensor<4x64xi32>
  %4 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %5 = tt.expand_dims %4 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %6 = tt.broadcast %5 : tensor<1x64xi32> -> tensor<4x64xi32>
  %7 = arith.addi %3, %6 : tensor<4x64xi32>
  %8 = tt.splat %p : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %9 = tt.addptr %8, %7 : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  // CHECK: %10 [r: (0,1) | l: (0,2) (0,4) (0,8) (0,16) (0,32) | w: (1,0) (2,0)]{{$}}
  %10 = tt.load %9 : tensor<4x64x!tt.ptr<f32>>
  // CHECK: %11 [r: | l: 0 0 0 0 0 | w: 1 2]{{$}}
  %11 = "tt.reduce"(%10) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x64xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %12 [r: | l: (0,0) (0,0) (0,0) (0,0) (0,0) | w: (1,0) (2,0)]{{$}}
  %12 = tt.expand_dims %11 {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK-NEXT: %13 [r: (0,1) | l: (0,2) (0,4) (0,8) (0,16) (0,32) | w: (1,0) (2,0)] recomputed
  %13 = tt.broadcast %12 : tensor<4x1xf32> -> tensor<4x64xf32>
  %14 = arith.divf %10, %13 : tensor<4x64xf32>
  tt.store %9, %14 : tensor<4x64x!tt.ptr<f32>>
  tt.return
}

// Read along rows, written along columns: one conversion, where the tile is
// defined.
// CHECK-LABEL: @transpose
tt.func public @transpose(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %2 = arith.muli %1, %c32 : tensor<32x1xi32>
  %3 = tt.broadcast %2 : tensor<32x1xi32> -> tensor<32x32xi32>
  %5 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %6 = tt.broadcast %5 : tensor<1x32xi32> -> tensor<32x32xi32>
  %7 = arith.addi %3, %6 : tensor<32x32xi32>
  %8 = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %9 = tt.addptr %8, %7 : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %10 = tt.load %9 : tensor<32x32x!tt.ptr<f32>>
  // CHECK: load of
  // CHECK-NEXT: [r: (1,0) (2,0) (0,16) | l: (4,0) (8,0) (16,0) (0,1) (0,2) | w: (0,4) (0,8)]
  // CHECK-SAME: [r: (0,1) (0,2) (16,0) | l: (0,4) (0,8) (0,16) (1,0) (2,0) | w: (4,0) (8,0)] by memory
  %11 = tt.trans %10 {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %9, %11 : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// Pairs that are split again stay where they are.
// CHECK-LABEL: @pairs
tt.func public @pairs(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %3 = tt.load %2 : tensor<128x!tt.ptr<f32>>
  // CHECK: load of
  // CHECK-NEXT: [r: (0,1) | l: (1,0) (2,0) (4,0) (8,0) (16,0) | w: (32,0) (64,0)]{{$}}
  %4 = tt.join %3, %3 : tensor<128xf32> -> tensor<128x2xf32>
  // CHECK-NEXT: %outLHS [r: | l: 1 2 4 8 16 | w: 32 64]{{$}}
  %outLHS, %outRHS = tt.split %4 : tensor<128x2xf32> -> tensor<128xf32>
  tt.store %2, %outLHS : tensor<128x!tt.ptr<f32>>
  tt.store %2, %outRHS : tensor<128x!tt.ptr<f32>>
  tt.return
}

// The sums of a loop have the layout of what is added to them, not that of the
// constant they start from.
// CHECK-LABEL: @loop
tt.func public @loop(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  // CHECK: %3 [r: 1 2 | l: 4 8 16 32 64 | w: 128 256]{{$}}
  // CHECK-NEXT: %arg3 [r: 1 2 | l: 4 8 16 32 64 | w: 128 256]{{$}}
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<512xf32>) : i32 {
    %4 = tt.load %2 : tensor<512x!tt.ptr<f32>>
    %5 = arith.addf %sum, %4 : tensor<512xf32>
    scf.yield %5 : tensor<512xf32>
  }
  tt.store %2, %3 : tensor<512x!tt.ptr<f32>>
  tt.return
}

// The sums of a product are stored as they are, in runs of four columns; a mask
// that may end anywhere wants neighbors in neighboring lanes.
// CHECK-LABEL: @product
tt.func public @product(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %i = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i, %c64 : tensor<64x1xi32>
  %rows = tt.broadcast %is : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rows, %columns : tensor<64x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  // CHECK: %[[SUMS:.*]] [r: (0,1) (0,2) (1,0) (2,0) (0,32) | l: (0,4) (4,0) (0,8) (8,0) (0,16) | w: (16,0) (32,0)]{{$}}
  %d = tt.dot %a, %b, %z : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK-NEXT: store of {{.*}}: 4 at once
  tt.store %q, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @ragged
tt.func public @ragged(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %i = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i, %c64 : tensor<64x1xi32>
  %rows = tt.broadcast %is : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rows, %columns : tensor<64x64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside = arith.cmpi slt, %j, %ns : tensor<1x64xi32>
  %mask = tt.broadcast %inside : tensor<1x64xi1> -> tensor<64x64xi1>
  // CHECK: [r: (0,1) (0,2) (1,0) (2,0) (0,32) | l: (0,4) (4,0) (0,8) (8,0) (0,16) | w: (16,0) (32,0)] [r: {{.*}} | l: (0,1) (0,2) (0,4) (0,8) (0,16) | {{.*}}] by memory{{$}}
  %d = tt.dot %a, %b, %z : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK-NEXT: store of {{.*}}: 1 at once
  tt.store %q, %d, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
