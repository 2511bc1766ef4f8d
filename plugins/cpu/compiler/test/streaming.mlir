// Stores of rows through an argument that nothing is loaded from may bypass the
// caches: both stores are emitted, and the flag of the launch and the alignment
// of the row decide.
// RUN: split-file %s %t
// RUN: nereid compile %t/copy.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=COPY
// RUN: nereid compile %t/copy.mlir --target cpu -O cpu=x86-64-v3 --stop-after asm -o - | FileCheck %s --check-prefix=ASM
// RUN: nereid compile %t/copy.mlir --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-streaming-stores --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %t/copy.mlir --target cpu:aarch64 --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %t/read.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %t/atomic.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %t/short.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %t/loop.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=LOOP

// A loop for each: its body is small. In a larger one there is a branch.
// COPY: store %{{.*}} to %{{.*}}, may stream
// COPY: store <8 x float> %{{.*}}, align 32, {{.*}}!nontemporal
// COPY: store <8 x float> %{{.*}}, align 4
// COPY: !{!"streamed_bytes_per_program", i64 4096}
// ASM: vmovntps
// OFF-NOT: may stream
// OFF-NOT: nontemporal
// OFF: !{!"streamed_bytes_per_program", i64 0}

// The iterations of a launch are counted by the formula of its work.
// LOOP: may stream
// LOOP: !{!"streamed_bytes_per_program", i64 4096}
// LOOP-NEXT: !{!"streamed_step", i64 [[#%u,]]}
// RUN: nereid compile %t/never.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=OFF

//--- copy.mlir
tt.func public @copy(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q, %m : tensor<1024x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %x, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

//--- read.mlir
// What it stores is read again: it should stay in a cache.
tt.func public @read(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %x : tensor<1024x!tt.ptr<f32>>
  %c1 = arith.constant 1 : i32
  %next = tt.addptr %out, %c1 : !tt.ptr<f32>, i32
  %y = tt.load %next : !tt.ptr<f32>
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

//--- atomic.mlir
// A program that waits for the atomic operation must see the stores before it.
tt.func public @atomic(%flag: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<1024xf32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %x : tensor<1024x!tt.ptr<f32>>
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %old = tt.atomic_rmw exch, release, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

//--- short.mlir
// Rows of 32 elements, and a store with gaps.
tt.func public @short(%out: !tt.ptr<f32>, %gaps: !tt.ptr<f32>, %pitch: i32) {
  %x = arith.constant dense<1.0> : tensor<32x32xf32>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %rows = arith.muli %r1, %pitches : tensor<32x1xi32>
  %rb = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %cb = tt.broadcast %r0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %offs = arith.addi %rb, %cb : tensor<32x32xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %o = tt.addptr %os, %offs : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %o, %x : tensor<32x32x!tt.ptr<f32>>
  %y = arith.constant dense<1.0> : tensor<1024xf32>
  %two = arith.constant dense<2> : tensor<1024xi32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %twice = arith.muli %i, %two : tensor<1024xi32>
  %gs = tt.splat %gaps : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %g = tt.addptr %gs, %twice : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %g, %y : tensor<1024x!tt.ptr<f32>>
  tt.return
}

//--- never.mlir
tt.func public @never(%out: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<1024xf32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  scf.for %k = %c1 to %c0 step %c1 : i32 {
    tt.store %o, %x : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

//--- loop.mlir
tt.func public @loop(%out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %x = arith.constant dense<1.0> : tensor<1024xf32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  scf.for %k = %c0 to %n step %c1024 : i32 {
    %row = tt.addptr %out, %k : !tt.ptr<f32>, i32
    %os = tt.splat %row : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %o, %x : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}
