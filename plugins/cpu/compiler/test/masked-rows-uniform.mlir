// A mask that is the same for all lanes of a vector selects its address where the
// machine has no masked access for its elements: AVX2 has none for bytes.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=MASKED
// RUN: nereid run %s --target cpu --grid 1 i8[1024]=range i8[1024]=full:7 i32=5 --save 1=%t.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 i8[1024]=range i8[1024]=full:7 i32=5 --expect 1=%t.npy

// CHECK:     mask %{{.*}}(i0, 0) uniform
// CHECK-NOT: masked.load
// CHECK:     [[AT:%.*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr %4
// CHECK-NOT: masked.load
// MASKED:    call <64 x i8> @llvm.masked.load

tt.func public @rows(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>, %n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<16x1xi32>
  %rows = arith.muli %row, %pitch : tensor<16x1xi32>
  %rs = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x64xi32>
  %cs = tt.broadcast %column : tensor<1x64xi32> -> tensor<16x64xi32>
  %offs = arith.addi %rs, %cs : tensor<16x64xi32>
  %ns = tt.splat %n : i32 -> tensor<16x1xi32>
  %below = arith.cmpi slt, %row, %ns : tensor<16x1xi32>
  %mask = tt.broadcast %below : tensor<16x1xi1> -> tensor<16x64xi1>
  %zero = arith.constant dense<0> : tensor<16x64xi8>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<16x64x!tt.ptr<i8>>
  %from = tt.addptr %xs, %offs : tensor<16x64x!tt.ptr<i8>>, tensor<16x64xi32>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<16x64x!tt.ptr<i8>>
  %to = tt.addptr %ys, %offs : tensor<16x64x!tt.ptr<i8>>, tensor<16x64xi32>
  %v = tt.load %from, %mask, %zero : tensor<16x64x!tt.ptr<i8>>
  tt.store %to, %v : tensor<16x64x!tt.ptr<i8>>
  tt.return
}
