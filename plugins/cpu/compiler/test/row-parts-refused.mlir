// Programs are not divided if an address depends on memory, if they store
// anything but tiles of the same rows, or if a load is ordered.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=PARTS
// RUN: sed 's/^  .. GATHER //' %s > %t.gather.mlir
// RUN: nereid compile %t.gather.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. SCALAR //' %s > %t.scalar.mlir
// RUN: nereid compile %t.scalar.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. ATOMIC //' %s > %t.atomic.mlir
// RUN: nereid compile %t.atomic.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. ASSERT //' %s > %t.assert.mlir
// RUN: nereid compile %t.assert.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. VOLATILE //' %s > %t.volatile.mlir
// RUN: nereid compile %t.volatile.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. REDUCED //' %s > %t.reduced.mlir
// RUN: nereid compile %t.reduced.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/^  .. ROW //' %s > %t.row.mlir
// RUN: nereid compile %t.row.mlir --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s

// PARTS: parts of rows
// CHECK-NOT: parts of rows
// CHECK: !{!"parts", i64 0}

tt.func public @product(%p: !tt.ptr<f32>, %a: i32, %b: i32, %c: i32, %pitch: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %lower = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %krow = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %w64 = arith.constant dense<32> : tensor<64x1xi32>
  %w32 = arith.constant dense<32> : tensor<32x1xi32>
  %ra = arith.muli %row, %w64 : tensor<64x1xi32>
  %rb = arith.muli %krow, %w32 : tensor<32x1xi32>
  %ra2 = tt.broadcast %ra : tensor<64x1xi32> -> tensor<64x32xi32>
  %rb2 = tt.broadcast %rb : tensor<32x1xi32> -> tensor<32x32xi32>
  %ca2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
  %cb2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %oa = arith.addi %ra2, %ca2 : tensor<64x32xi32>
  %ob = arith.addi %rb2, %cb2 : tensor<32x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %rc = arith.muli %row, %pitches : tensor<64x1xi32>
  %rc2 = tt.broadcast %rc : tensor<64x1xi32> -> tensor<64x32xi32>
  %oc = arith.addi %rc2, %ca2 : tensor<64x32xi32>
  %pa = tt.addptr %p, %a : !tt.ptr<f32>, i32
  %pb = tt.addptr %p, %b : !tt.ptr<f32>, i32
  %pc = tt.addptr %p, %c : !tt.ptr<f32>, i32
  %as = tt.splat %pa : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %bs = tt.splat %pb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ap = tt.addptr %as, %oa : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %bp = tt.addptr %bs, %ob : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %cp = tt.addptr %cs, %oc : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %nb = arith.constant dense<1024> : tensor<32x32xi32>
  %sums:2 = scf.for %i = %lower to %two step %one iter_args(%total = %zero, %pbs = %bp)
      -> (tensor<64x32xf32>, tensor<32x32x!tt.ptr<f32>>) : i32 {
    %av = tt.load %ap : tensor<64x32x!tt.ptr<f32>>
    %bv = tt.load %pbs : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %av, %bv, %total : tensor<64x32xf32> * tensor<32x32xf32> -> tensor<64x32xf32>
    %pb1 = tt.addptr %pbs, %nb : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    scf.yield %next, %pb1 : tensor<64x32xf32>, tensor<32x32x!tt.ptr<f32>>
  }
  tt.store %cp, %sums#0 : tensor<64x32x!tt.ptr<f32>>
  %true = arith.constant true
  %one_f = arith.constant 1.0 : f32
  // GATHER %from = tt.load %pb : !tt.ptr<f32>
  // GATHER %index = arith.fptosi %from : f32 to i32
  // GATHER %at = tt.addptr %pa, %index : !tt.ptr<f32>, i32
  // GATHER %more = tt.load %at : !tt.ptr<f32>
  // GATHER %mores = tt.splat %more : f32 -> tensor<64x32xf32>
  // GATHER tt.store %cp, %mores : tensor<64x32x!tt.ptr<f32>>
  // SCALAR tt.store %pc, %one_f : !tt.ptr<f32>
  // ATOMIC %old = tt.atomic_rmw fadd, acq_rel, gpu, %pc, %one_f, %true : (!tt.ptr<f32>, f32, i1) -> f32
  // ASSERT %positive = arith.cmpi sgt, %pitch, %lower : i32
  // ASSERT tt.assert %positive, "pitch" : i1
  // VOLATILE %again = tt.load %pa {isVolatile = true} : !tt.ptr<f32>
  // REDUCED %total = "tt.reduce"(%sums#0) <{axis = 1 : i32}> ({
  // REDUCED ^bb0(%x: f32, %y: f32):
  // REDUCED   %z = arith.addf %x, %y : f32
  // REDUCED   tt.reduce.return %z : f32
  // REDUCED }) : (tensor<64x32xf32>) -> tensor<64xf32>
  // REDUCED %totals = tt.expand_dims %total {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  // REDUCED %wide = tt.broadcast %totals : tensor<64x1xf32> -> tensor<64x32xf32>
  // REDUCED tt.store %cp, %wide : tensor<64x32x!tt.ptr<f32>>
  // ROW %line = tt.splat %pc : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  // ROW %places = tt.addptr %line, %r32 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  // ROW %ones = tt.splat %one_f : f32 -> tensor<32xf32>
  // ROW tt.store %places, %ones : tensor<32x!tt.ptr<f32>>
  tt.return
}
