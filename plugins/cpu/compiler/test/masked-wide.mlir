// Vectors are as wide as the processor's registers at most: where a mask is
// constant in one half of a vector of 512 bits, LLVM 19 loads that half whole on
// AVX2, past the end of what the mask allows.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O vector_bits=512 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 i32[128]=range i32[128]=full:9 i32=4 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O vector_bits=512 --grid 1 i32[128]=range i32[128]=full:9 i32=4 --expect 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 i32[128]=range i32[128]=full:9 i32=4 --expect 1=%t.npy

// CHECK:     call <8 x i32> @llvm.masked.load
// CHECK-NOT: <16 x i32>

tt.func public @rows(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pitch = arith.constant dense<16> : tensor<8x1xi32>
  %rows = arith.muli %row, %pitch : tensor<8x1xi32>
  %rs = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x16xi32>
  %cs = tt.broadcast %column : tensor<1x16xi32> -> tensor<8x16xi32>
  %offs = arith.addi %rs, %cs : tensor<8x16xi32>
  %ns = tt.splat %n : i32 -> tensor<8x1xi32>
  %below = arith.cmpi slt, %row, %ns : tensor<8x1xi32>
  %five = arith.constant dense<5> : tensor<1x16xi32>
  %first = arith.cmpi slt, %column, %five : tensor<1x16xi32>
  %belows = tt.broadcast %below : tensor<8x1xi1> -> tensor<8x16xi1>
  %firsts = tt.broadcast %first : tensor<1x16xi1> -> tensor<8x16xi1>
  %mask = arith.andi %belows, %firsts : tensor<8x16xi1>
  %zero = arith.constant dense<0> : tensor<8x16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x16x!tt.ptr<i32>>
  %from = tt.addptr %xs, %offs : tensor<8x16x!tt.ptr<i32>>, tensor<8x16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<8x16x!tt.ptr<i32>>
  %to = tt.addptr %ys, %offs : tensor<8x16x!tt.ptr<i32>>, tensor<8x16xi32>
  %v = tt.load %from, %mask, %zero : tensor<8x16x!tt.ptr<i32>>
  tt.store %to, %v : tensor<8x16x!tt.ptr<i32>>
  tt.return
}
