// Integers that are added atomically at addresses that are the same in all
// programs are added up in scratch, and to memory by the last program of a call.
// RUN: split-file %s %t
// RUN: nereid compile %t/counts.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/counts.mlir --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-held-sums --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/apart.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/float.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/read.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/later.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/maximum.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// RUN: nereid compile %t/waits.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// CHECK: atomic_rmw %{{.*}}, sums in b1
// CHECK: entry:
// CHECK: call void @llvm.memset.p0.i64(ptr align 64 %{{.*}}, i8 0, i64 128, i1 false)
// CHECK: add <8 x i32>
// CHECK: icmp eq i64 %left, 1
// CHECK: cmpxchg ptr %{{.*}}, i128
// NONE-NOT: sums in
// NONE-NOT: memset

// What is masked off is not touched, aligned or not, and by one thread or more.
// RUN: nereid run %t/counts.mlir --target cpu -O fast_paths=none --grid 100 i32[64]=range i32[3200]=random:1 i32=0 i32=29 --save 0=%t.npy
// RUN: nereid run %t/counts.mlir --target cpu --grid 100 i32[64]=range i32[3200]=random:1 i32=0 i32=29 --expect 0=%t.npy
// RUN: nereid run %t/counts.mlir --target cpu -O fast_paths=none --grid 100 i32[64]=range i32[3200]=random:2 i32=3 i32=32 --save 0=%t.npy
// RUN: nereid run %t/counts.mlir --target cpu -O threads=1 --grid 100 i32[64]=range i32[3200]=random:2 i32=3 i32=32 --expect 0=%t.npy

//--- counts.mlir
tt.func public @counts(%counts: !tt.ptr<i32>, %x: !tt.ptr<i32>, %first: i32, %end: i32) {
  %length = arith.constant 32 : i32
  %program = tt.get_program_id x : i32
  %begin = arith.muli %program, %length : i32
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %xs = tt.addptr %x, %begin : !tt.ptr<i32>, i32
  %xss = tt.splat %xs : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %xi = tt.addptr %xss, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %xi : tensor<32x!tt.ptr<i32>>
  %ends = tt.splat %end : i32 -> tensor<32xi32>
  %m = arith.cmpi slt, %i, %ends : tensor<32xi32>
  %place = tt.addptr %counts, %first : !tt.ptr<i32>, i32
  %ps = tt.splat %place : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.return
}

// Each program has places of its own.
//--- apart.mlir
tt.func public @apart(%counts: !tt.ptr<i32>, %v: i32) {
  %length = arith.constant 32 : i32
  %yes = arith.constant dense<true> : tensor<32xi1>
  %program = tt.get_program_id x : i32
  %begin = arith.muli %program, %length : i32
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %place = tt.addptr %counts, %begin : !tt.ptr<i32>, i32
  %ps = tt.splat %place : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %vs = tt.splat %v : i32 -> tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %vs, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.return
}

// Sums of floats depend on their order.
//--- float.mlir
tt.func public @float(%sums: !tt.ptr<f32>, %v: f32) {
  %yes = arith.constant dense<true> : tensor<32xi1>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %sums : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %vs = tt.splat %v : f32 -> tensor<32xf32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %vs, %yes : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  tt.return
}

// What was added is read.
//--- read.mlir
tt.func public @read(%counts: !tt.ptr<i32>) {
  %yes = arith.constant dense<true> : tensor<32xi1>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %counts : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<i32>>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.return
}

// A store follows, perhaps to the same place.
//--- later.mlir
tt.func public @later(%counts: !tt.ptr<i32>, %out: !tt.ptr<i32>, %v: i32) {
  %yes = arith.constant dense<true> : tensor<32xi1>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %counts : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %vs = tt.splat %v : i32 -> tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %vs, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.store %out, %v : !tt.ptr<i32>
  tt.return
}

// Another atomic operation may meet the same place.
//--- maximum.mlir
tt.func public @maximum(%counts: !tt.ptr<i32>, %most: !tt.ptr<i32>, %v: i32) {
  %yes = arith.constant dense<true> : tensor<32xi1>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %counts : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %qs = tt.splat %most : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %qs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %vs = tt.splat %v : i32 -> tensor<32xi32>
  %a = tt.atomic_rmw max, acq_rel, gpu, %q, %vs, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  %b = tt.atomic_rmw add, acq_rel, gpu, %p, %vs, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.return
}

// A program may wait until another has added.
//--- waits.mlir
tt.func public @waits(%counts: !tt.ptr<i32>, %same: !tt.ptr<i32>, %v: i32) {
  %yes = arith.constant dense<true> : tensor<32xi1>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %times = scf.while (%n = %v) : (i32) -> i32 {
    %x = tt.load %same : !tt.ptr<i32>
    %again = arith.cmpi eq, %x, %zero : i32
    scf.condition(%again) %n : i32
  } do {
  ^bb0(%n: i32):
    %next = arith.addi %n, %one : i32
    scf.yield %next : i32
  }
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %counts : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %vs = tt.splat %times : i32 -> tensor<32xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %vs, %yes : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  tt.return
}
