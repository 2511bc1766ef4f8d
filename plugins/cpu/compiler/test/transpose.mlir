// A nest that reads along one dimension and writes along another transposes
// blocks in vector registers. Only what masks leave over is visited row by row;
// so is everything where stores repeat addresses.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: nereid compile %s --target cpu -O cpu=x86-64 --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-transpose --stop-after llir -o - | FileCheck %s --check-prefix=OFF

// CHECK: nest {{\[32x64\]}} axis 1 lanes
// CHECK-NEXT: transpose 8 along 0: [[X:%[0-9]+]]
// CHECK-NEXT: mask {{%[0-9]+}}({{.*}}i0{{.*}}) below a bound
// CHECK-NEXT: mask {{%[0-9]+}}({{.*}}i1{{.*}}) below a bound
// CHECK: defer store to {{%[0-9]+}} in b{{[0-9]+}} if {{%[0-9]+}} repeats
// What lies a page or more apart is prefetched.
// CHECK: icmp sge i64 %{{[0-9]+}}, 2048
// CHECK: icmp sge i64 %{{[0-9]+}}, 2048
// CHECK: call void @llvm.prefetch.p0(ptr %{{[0-9]+}}, i32 0, i32 2, i32 1)
// CHECK: call void @llvm.prefetch.p0(ptr %{{[0-9]+}}, i32 1, i32 3, i32 1)
// WIDE-COUNT-16: load <8 x i16>
// WIDE-COUNT-24: shufflevector <16 x i16>
// WIDE-COUNT-8: store <16 x i16>
// NARROW-COUNT-8: load <8 x i16>
// NARROW-COUNT-24: shufflevector <8 x i16>
// NARROW-COUNT-8: store <8 x i16>
// OFF-NOT: transpose 8

// Rows that are pages apart.
// RUN: nereid run %s --target cpu --grid 1 i16[400000]=random i32=200000 i32=30 i32=61 i32=3000 i32=2500 -O fast_paths=none --save 0=%t.far.npy
// RUN: nereid run %s --target cpu --grid 1 i16[400000]=random i32=200000 i32=30 i32=61 i32=3000 i32=2500 --expect 0=%t.far.npy

// Odd sizes, a destination within the source, and rows of the destination that
// overlap: the result is that of one element after the other.
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=31 i32=61 i32=37 i32=67 -O fast_paths=none --save 0=%t.apart.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=31 i32=61 i32=37 i32=67 --expect 0=%t.apart.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=31 i32=61 i32=37 i32=67 -O vector_bits=128 --expect 0=%t.apart.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=32 i32=64 i32=32 i32=64 -O fast_paths=none --save 0=%t.whole.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=32 i32=64 i32=32 i32=64 --expect 0=%t.whole.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=3 i32=32 i32=60 i32=37 i32=67 -O fast_paths=none --save 0=%t.within.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=3 i32=32 i32=60 i32=37 i32=67 --expect 0=%t.within.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=32 i32=64 i32=37 i32=1 -O fast_paths=none --save 0=%t.repeated.npy
// RUN: nereid run %s --target cpu --grid 1 i16[9000]=random i32=5000 i32=32 i32=64 i32=37 i32=1 --expect 0=%t.repeated.npy

// x[distance + i * height + j] = x[j * width + i] where i < m and j < n
tt.func public @transpose(%x: !tt.ptr<i16>, %distance: i32, %m: i32, %n: i32, %width: i32, %height: i32) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %column = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %row = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tt.splat %m : i32 -> tensor<32x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside = arith.cmpi slt, %column, %ms : tensor<32x1xi32>
  %within = arith.cmpi slt, %row, %ns : tensor<1x64xi32>
  %insides = tt.broadcast %inside : tensor<32x1xi1> -> tensor<32x64xi1>
  %withins = tt.broadcast %within : tensor<1x64xi1> -> tensor<32x64xi1>
  %mask = arith.andi %insides, %withins : tensor<32x64xi1>

  %columns = tt.broadcast %column : tensor<32x1xi32> -> tensor<32x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %widths = tt.splat %width : i32 -> tensor<32x64xi32>
  %heights = tt.splat %height : i32 -> tensor<32x64xi32>
  %distances = tt.splat %distance : i32 -> tensor<32x64xi32>
  %down = arith.muli %rows, %widths : tensor<32x64xi32>
  %from = arith.addi %down, %columns : tensor<32x64xi32>
  %across = arith.muli %columns, %heights : tensor<32x64xi32>
  %there = arith.addi %across, %rows : tensor<32x64xi32>
  %to = arith.addi %there, %distances : tensor<32x64xi32>

  %xs = tt.splat %x : !tt.ptr<i16> -> tensor<32x64x!tt.ptr<i16>>
  %source = tt.addptr %xs, %from : tensor<32x64x!tt.ptr<i16>>, tensor<32x64xi32>
  %target = tt.addptr %xs, %to : tensor<32x64x!tt.ptr<i16>>, tensor<32x64xi32>
  %value = tt.load %source, %mask : tensor<32x64x!tt.ptr<i16>>
  tt.store %target, %value, %mask : tensor<32x64x!tt.ptr<i16>>
  tt.return
}
