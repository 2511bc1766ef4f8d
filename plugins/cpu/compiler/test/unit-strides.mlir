// A kernel whose accesses are contiguous only if arguments are one has a form
// in which they are.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-unit-strides --stop-after llir -o - | FileCheck %s --check-prefix=OFF

// CHECK: where strides are one:
// CHECK: store {{.*}}, may stream
// CHECK: elsewhere:
// CHECK: store
// CHECK-NOT: may stream
// CHECK: define internal i32 @cpu.copy(
// CHECK-NOT: insertelement <16 x float>
// CHECK: define internal i32 @cpu.copy.1(
// CHECK: insertelement <16 x float>
// Neither the number of elements nor the stride that 16 divides has to be one.
// CHECK: define i32 @nereid_cpu_entry(
// CHECK: [[IN:%.*]] = load i32
// CHECK: icmp eq i32 [[IN]], 1
// CHECK: [[OUT:%.*]] = load i64
// CHECK: icmp eq i64 [[OUT]], 1
// CHECK-NOT: load
// CHECK: br i1 {{.*}}, label %special, label %general

// OFF-NOT: strides are one
// OFF-NOT: @cpu.copy

// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[1024]=range f32[1024]=zeros i32=100 i32=1 i64=1 i32=16 --save 1=%t.1.npy
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=range f32[1024]=zeros i32=100 i32=1 i64=1 i32=16 --expect 1=%t.1.npy,0,0
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[1024]=range f32[1024]=zeros i32=100 i32=2 i64=1 i32=16 --save 1=%t.2.npy
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=range f32[1024]=zeros i32=100 i32=2 i64=1 i32=16 --expect 1=%t.2.npy,0,0
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[1024]=range f32[1024]=zeros i32=100 i32=1 i64=3 i32=16 --save 1=%t.3.npy
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=range f32[1024]=zeros i32=100 i32=1 i64=3 i32=16 --expect 1=%t.3.npy,0,0
tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %sx: i32, %sy: i64, %pitch: i32 {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %limit = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<128xi32>
  %stride = tt.splat %sx : i32 -> tensor<128xi32>
  %from = arith.muli %i, %stride : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %px = tt.addptr %xs, %from : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %wide = arith.extsi %i : tensor<128xi32> to tensor<128xi64>
  %out = tt.splat %sy : i64 -> tensor<128xi64>
  %to = arith.muli %wide, %out : tensor<128xi64>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %py = tt.addptr %ys, %to : tensor<128x!tt.ptr<f32>>, tensor<128xi64>
  %v = tt.load %px, %mask : tensor<128x!tt.ptr<f32>>
  tt.store %py, %v, %mask : tensor<128x!tt.ptr<f32>>
  // A column.
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<16xi32>
  %rows = arith.muli %j, %pitches : tensor<16xi32>
  %zs = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %pz = tt.addptr %zs, %rows : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %zero = arith.constant dense<7.0> : tensor<16xf32>
  tt.store %pz, %zero : tensor<16x!tt.ptr<f32>>
  tt.return
}
