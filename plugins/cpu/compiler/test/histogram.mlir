// The bins of a histogram are computed as vectors, and incremented one after the
// other, every other in a second set of them. A value without a bin, or that is
// masked off, is not counted.
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:aarch64:neoverse-n1 --stop-after llir -o - | FileCheck %s --check-prefix=ARM
// RUN: nereid compile %s --target cpu:x86_64:znver4 -O fast_paths=all,-vectorize --stop-after llir -o - | FileCheck %s --check-prefix=SCALAR

// CHECK: nest [256] axis 0 lanes 16
// CHECK: icmp ult <16 x i32> %{{.*}}, <i32 32,
// CHECK: select <16 x i1> %{{.*}}, <16 x i32> %{{.*}}, <16 x i32> <i32 -16, i32 32, i32 -16,
// CHECK-COUNT-16: load volatile i32, ptr
// CHECK: load <16 x i32>, ptr %{{.*}}, align 4
// CHECK: add <16 x i32>
// ARM: nest [256] axis 0 lanes 4
// ARM: nest [256] axis 0 lanes 2
// SCALAR: nest [256] axis 0 lanes 1 unroll

// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 i32[256]=random:1:-9:40 i64[256]=random:2:-9:40 i32[64]=zeros i32=201 --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 1 i32[256]=random:1:-9:40 i64[256]=random:2:-9:40 i32[64]=zeros i32=201 --expect 2=%t.npy,0,0

tt.func public @count(%x: !tt.ptr<i32>, %y: !tt.ptr<i64>, %out: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<256xi32>
  %xp = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xa = tt.addptr %xp, %range : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %xs = tt.load %xa : tensor<256x!tt.ptr<i32>>
  %counts = tt.histogram %xs, %mask : tensor<256xi32> -> tensor<32xi32>
  %yp = tt.splat %y : !tt.ptr<i64> -> tensor<256x!tt.ptr<i64>>
  %ya = tt.addptr %yp, %range : tensor<256x!tt.ptr<i64>>, tensor<256xi32>
  %ys = tt.load %ya : tensor<256x!tt.ptr<i64>>
  %all = tt.histogram %ys : tensor<256xi64> -> tensor<32xi32>
  %bins = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %op = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %oa = tt.addptr %op, %bins : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %oa, %counts : tensor<32x!tt.ptr<i32>>
  %width = arith.constant dense<32> : tensor<32xi32>
  %ob = tt.addptr %oa, %width : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %ob, %all : tensor<32x!tt.ptr<i32>>
  tt.return
}
