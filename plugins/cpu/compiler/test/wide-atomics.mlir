// Atomic operations on neighbours in memory are one compare-and-swap, if no old
// value is used; those of a masked or unaligned group are one after the other.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 -O features=-cx16 --stop-after llir -o - | FileCheck %s --check-prefix=NARROW
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 -O fast_paths=all,-wide-atomics --stop-after llir -o - | FileCheck %s --check-prefix=NARROW

// The results are the same: from a first element that is aligned or not, with a
// last group that ends in the middle.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 5 f32[64]=range f16[64]=range i64[64]=range i32[256]=zeros i32=0 i32=23 --save 0=%t.0.npy --save 1=%t.1.npy --save 2=%t.2.npy
// RUN: nereid run %s --target cpu --grid 5 f32[64]=range f16[64]=range i64[64]=range i32[256]=zeros i32=0 i32=23 --expect 0=%t.0.npy,0,0 --expect 1=%t.1.npy,0,0 --expect 2=%t.2.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 5 f32[64]=range f16[64]=range i64[64]=range i32[256]=zeros i32=3 i32=32 --save 0=%t.0.npy --save 1=%t.1.npy --save 2=%t.2.npy
// RUN: nereid run %s --target cpu --grid 5 f32[64]=range f16[64]=range i64[64]=range i32[256]=zeros i32=3 i32=32 --expect 0=%t.0.npy,0,0 --expect 1=%t.1.npy,0,0 --expect 2=%t.2.npy,0,0

// CHECK: nest [32] axis 0 lanes 4
// CHECK-NEXT: atomic_rmw
// CHECK: nest [32] axis 0 lanes 8
// CHECK: nest [32] axis 0 lanes 2
// An old value that is used.
// CHECK: nest [32] axis 0 lanes 1
// CHECK: and i64 %{{[0-9]+}}, 15
// CHECK: fadd <4 x float>
// CHECK: cmpxchg ptr %{{.*}}, i128 %{{.*}}, i128 %{{.*}} acq_rel monotonic, align 16
// CHECK: fpext <8 x half>
// CHECK: cmpxchg ptr %{{.*}}, i128
// CHECK: call <2 x i64> @llvm.smax.v2i64
// CHECK: cmpxchg ptr %{{.*}}, i128
// CHECK-NOT: cmpxchg ptr %{{.*}}, i128
// NARROW-NOT: , i128 %

tt.func public @kernel(%pf: !tt.ptr<f32>, %ph: !tt.ptr<f16>, %pi: !tt.ptr<i64>, %pc: !tt.ptr<i32>, %first: i32, %count: i32) {
  %program = tt.get_program_id x : i32
  %index = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %limit = tt.splat %count : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %index, %limit : tensor<32xi32>
  %start = tt.splat %first : i32 -> tensor<32xi32>
  %offsets = arith.addi %index, %start : tensor<32xi32>
  %number = arith.addi %program, %first : i32
  %numbers = tt.splat %number : i32 -> tensor<32xi32>
  %values = arith.muli %index, %numbers : tensor<32xi32>
  %fv = arith.sitofp %values : tensor<32xi32> to tensor<32xf32>
  %fs = tt.splat %pf : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %offsets : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %f = tt.atomic_rmw fadd, acq_rel, gpu, %fp, %fv, %mask : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  %hv = arith.sitofp %index : tensor<32xi32> to tensor<32xf16>
  %hs = tt.splat %ph : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %hp = tt.addptr %hs, %offsets : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %h = tt.atomic_rmw fadd, acq_rel, gpu, %hp, %hv, %mask : (tensor<32x!tt.ptr<f16>>, tensor<32xf16>, tensor<32xi1>) -> tensor<32xf16>
  %iv = arith.extsi %values : tensor<32xi32> to tensor<32xi64>
  %is = tt.splat %pi : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>>
  %ip = tt.addptr %is, %offsets : tensor<32x!tt.ptr<i64>>, tensor<32xi32>
  %i = tt.atomic_rmw max, relaxed, gpu, %ip, %iv, %mask : (tensor<32x!tt.ptr<i64>>, tensor<32xi64>, tensor<32xi1>) -> tensor<32xi64>
  %cs = tt.splat %pc : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %offsets : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %c = tt.atomic_rmw add, acq_rel, gpu, %cp, %values, %mask : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  %c64 = arith.constant dense<64> : tensor<32xi32>
  %later = arith.addi %offsets, %c64 : tensor<32xi32>
  %lp = tt.addptr %cs, %later : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %lp, %c, %mask : tensor<32x!tt.ptr<i32>>
  tt.return
}
