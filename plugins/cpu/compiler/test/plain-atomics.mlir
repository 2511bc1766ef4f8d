// A kernel that never waits has a form of its atomic operations without locks (flag
// 128), for launches of one thread beside which no other communicates. It updates
// neighbours as vectors. What has the scope of the system keeps its locks.
// RUN: split-file %s %t
// RUN: nereid compile %t/kernel.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/kernel.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 -O fast_paths=all,-exclusive-launches --stop-after llir -o - | FileCheck %s --check-prefix=LOCKED
// RUN: nereid compile %t/system.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=LOCKED
// RUN: nereid compile %t/waits.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=LOCKED
// RUN: nereid compile %t/rows.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=ROWS
// RUN: nereid compile %t/loop.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=LOOP

// RUN: nereid run %t/rows.mlir --target cpu -O fast_paths=none -O threads=1 --grid 3,2 f32[24,64]=random:1 i64[24]=random:2:0:9 f32[9,64]=zeros --save 2=%t.2.npy
// RUN: nereid run %t/rows.mlir --target cpu -O threads=1 --grid 3,2 f32[24,64]=random:1 i64[24]=random:2:0:9 f32[9,64]=zeros --expect 2=%t.2.npy,1e-6,0
// RUN: nereid run %t/kernel.mlir --target cpu -O fast_paths=none -O threads=1 --grid 5 f32[64]=range f16[64]=range i32[64]=range i32[192]=zeros i32=7 --save 0=%t.0.npy --save 1=%t.1.npy --save 2=%t.2.npy --save 3=%t.3.npy
// RUN: nereid run %t/kernel.mlir --target cpu -O threads=1 --grid 5 f32[64]=range f16[64]=range i32[64]=range i32[192]=zeros i32=7 --expect 0=%t.0.npy,0,0 --expect 1=%t.1.npy,0,0 --expect 2=%t.2.npy,0,0 --expect 3=%t.3.npy,0,0

// CHECK: nest [32] axis 0 lanes 4 unroll 1 plain lanes 8
// CHECK: nest [32] axis 0 lanes 8 unroll 1 plain lanes 16
// CHECK: nest [32] axis 0 lanes 1 unroll 1{{$}}
// CHECK: and i32 %{{.*}}, 8
// CHECK: load <8 x i32>, ptr %{{.*}}, align 4
// CHECK: fadd <8 x float>
// CHECK: store <8 x i32> %{{.*}}, ptr %{{.*}}, align 4
// CHECK: cmpxchg ptr
// CHECK: load <16 x i16>
// CHECK: cmpxchg ptr
// CHECK: load i32, ptr %[[PLACE:.*]], align 4
// CHECK: call i32 @llvm.smax.i32
// CHECK: store i32
// CHECK: atomicrmw max ptr
// CHECK: select i1 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}
// CHECK: cmpxchg ptr %{{.*}}, i32
// CHECK: !{!"flags", i64 401}
// CHECK: !{!"atomics_per_program", i64 97}
// LOCKED-NOT: plain lanes
// LOCKED: !{!"flags", i64 {{1|9|17}}}
// Rows that a tile numbers.
// ROWS: nest [8x32] axis 1 lanes 4 unroll 1 plain lanes 8
// ROWS: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 1
// ROWS: fadd <8 x float>
// 32 additions in each iteration.
// LOOP: !{!"atomics_per_program", i64 0}
// LOOP: !{!"atomics_step", i64 [[#STEP:]]}

//--- kernel.mlir
tt.func public @kernel(%pf: !tt.ptr<f32>, %ph: !tt.ptr<f16>, %pi: !tt.ptr<i32>, %pc: !tt.ptr<i32>, %count: i32) {
  %program = tt.get_program_id x : i32
  %index = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %first = tt.splat %program : i32 -> tensor<32xi32>
  %offsets = arith.addi %index, %first : tensor<32xi32>
  %limits = tt.splat %count : i32 -> tensor<32xi32>
  %rest = arith.remsi %index, %limits : tensor<32xi32>
  %zeros = arith.constant dense<0> : tensor<32xi32>
  %mask = arith.cmpi ne, %rest, %zeros : tensor<32xi32>
  %short = arith.cmpi slt, %index, %limits : tensor<32xi32>
  %fv = arith.sitofp %offsets : tensor<32xi32> to tensor<32xf32>
  %fs = tt.splat %pf : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %offsets : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %f = tt.atomic_rmw fadd, acq_rel, gpu, %fp, %fv, %short : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  %hv = arith.sitofp %index : tensor<32xi32> to tensor<32xf16>
  %hs = tt.splat %ph : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %hp = tt.addptr %hs, %offsets : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %h = tt.atomic_rmw fadd, acq_rel, gpu, %hp, %hv : (tensor<32x!tt.ptr<f16>>, tensor<32xf16>) -> tensor<32xf16>
  // Twice the same places, with old values that are used.
  %ones = arith.constant dense<1> : tensor<32xi32>
  %half = arith.shrsi %index, %ones : tensor<32xi32>
  %is = tt.splat %pi : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %ip = tt.addptr %is, %half : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %i = tt.atomic_rmw max, relaxed, gpu, %ip, %offsets, %mask : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  %c32 = arith.constant 32 : i32
  %start = arith.muli %program, %c32 : i32
  %starts = tt.splat %start : i32 -> tensor<32xi32>
  %places = arith.addi %starts, %index : tensor<32xi32>
  %cs = tt.splat %pc : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %cp = tt.addptr %cs, %places : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %cp, %i : tensor<32x!tt.ptr<i32>>
  %c160 = arith.constant 160 : i32
  %last = tt.addptr %pc, %c160 : !tt.ptr<i32>, i32
  %c1 = arith.constant 1 : i32
  %next = arith.addi %program, %c1 : i32
  %s = tt.atomic_cas acq_rel, gpu, %last, %program, %next : (!tt.ptr<i32>, i32, i32) -> i32
  %after = tt.addptr %last, %next : !tt.ptr<i32>, i32
  tt.store %after, %s : !tt.ptr<i32>
  tt.return
}

//--- system.mlir
tt.func public @system(%p: !tt.ptr<f32>) {
  %index = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ones = arith.constant dense<1.0> : tensor<32xf32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %places = tt.addptr %s, %index : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %f = tt.atomic_rmw fadd, acq_rel, sys, %places, %ones : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> tensor<32xf32>
  tt.return
}

//--- waits.mlir
tt.func public @waits(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %p, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %again = arith.cmpi eq, %old, %c1 : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  %t = arith.constant true
  %o = tt.atomic_rmw exch, acq_rel, gpu, %p, %c0, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

//--- rows.mlir
tt.func public @rows(%p: !tt.ptr<f32>, %numbers: !tt.ptr<i64>, %out: !tt.ptr<f32>) {
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %row = arith.muli %x, %c8 : i32
  %column = arith.muli %y, %c32 : i32
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rs = tt.splat %row : i32 -> tensor<8xi32>
  %rows = arith.addi %r, %rs : tensor<8xi32>
  %cs = tt.splat %column : i32 -> tensor<32xi32>
  %columns = arith.addi %c, %cs : tensor<32xi32>
  %ns = tt.splat %numbers : !tt.ptr<i64> -> tensor<8x!tt.ptr<i64>>
  %np = tt.addptr %ns, %rows : tensor<8x!tt.ptr<i64>>, tensor<8xi32>
  %n = tt.load %np : tensor<8x!tt.ptr<i64>>
  %n2 = tt.expand_dims %n {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
  %width = arith.constant dense<64> : tensor<8x1xi64>
  %to = arith.muli %n2, %width : tensor<8x1xi64>
  %r2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %width32 = arith.constant dense<64> : tensor<8x1xi32>
  %from = arith.muli %r2, %width32 : tensor<8x1xi32>
  %c2 = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %fb = tt.broadcast %from : tensor<8x1xi32> -> tensor<8x32xi32>
  %cb = tt.broadcast %c2 : tensor<1x32xi32> -> tensor<8x32xi32>
  %offs = arith.addi %fb, %cb : tensor<8x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %offs : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  %v = tt.load %pp : tensor<8x32x!tt.ptr<f32>>
  %tb = tt.broadcast %to : tensor<8x1xi64> -> tensor<8x32xi64>
  %c64 = arith.extsi %cb : tensor<8x32xi32> to tensor<8x32xi64>
  %places = arith.addi %tb, %c64 : tensor<8x32xi64>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %places : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi64>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %op, %v : (tensor<8x32x!tt.ptr<f32>>, tensor<8x32xf32>) -> tensor<8x32xf32>
  tt.return
}

//--- loop.mlir
tt.func public @loop(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %index = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ones = arith.constant dense<1.0> : tensor<32xf32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %places = tt.addptr %s, %index : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %f = tt.atomic_rmw fadd, acq_rel, gpu, %places, %ones : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> tensor<32xf32>
  }
  tt.return
}
