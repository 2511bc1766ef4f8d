// Programs with different ids along an axis update different memory if what the id adds
// to an address is less than the length of a row, of which all else is a multiple. The
// image has this as a condition.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-disjoint-axis --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %s --target cpu -O fast_paths=all,-exclusive-launches --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// Columns that memory names, a place that all ids of y update, an operation of the scope
// of the system, a bound that is another for each id of x.
// RUN: sed 's/^  .. COLUMN //' %s > %t.column.mlir
// RUN: nereid compile %t.column.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^  .. OTHER //' %s > %t.other.mlir
// RUN: nereid compile %t.other.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^  .. SYSTEM //' %s > %t.system.mlir
// RUN: nereid compile %t.system.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^  .. BOUND //' %s > %t.bound.mlir
// RUN: nereid compile %t.bound.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// With columns that the mask leaves out, and with a row that is too short.
// RUN: nereid run %s --target cpu -O fast_paths=none -O threads=1 --grid 8,4 f32[64,32]=zeros i32[64]=random:2:0:64 i32=30 i32=32 --save 0=%t.0.npy
// RUN: nereid run %s --target cpu -O threads=2 --grid 8,4 f32[64,32]=zeros i32[64]=random:2:0:64 i32=30 i32=32 --expect 0=%t.0.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none -O threads=1 --grid 8,4 f32[64,32]=zeros i32[64]=random:2:0:64 i32=32 i32=20 --save 0=%t.1.npy
// RUN: nereid run %s --target cpu -O threads=2 --grid 8,4 f32[64,32]=zeros i32[64]=random:2:0:64 i32=32 i32=20 --expect 0=%t.1.npy,0,0

// CHECK: atomic updates are disjoint along y, under a condition
// CHECK: !{!"disjoint_axis", i64 1}
// The columns, %count, and the length of a row, %pitch.
// CHECK-DAG: !{!"disjoint_condition", i64 1, i64 16, i64 4}
// CHECK-DAG: !{!"disjoint_condition", i64 1, i64 20, i64 4}
// NONE-NOT: disjoint_condition

tt.func public @kernel(%table: !tt.ptr<f32>, %numbers: !tt.ptr<i32>, %count: i32, %pitch: i32) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %c8 = arith.constant 8 : i32
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %firstRow = arith.muli %x, %c8 : i32
  %firstRows = tt.splat %firstRow : i32 -> tensor<8xi32>
  %rows = arith.addi %firstRows, %range : tensor<8xi32>
  %ns = tt.splat %numbers : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %np = tt.addptr %ns, %rows : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %row = tt.load %np : tensor<8x!tt.ptr<i32>>
  %row2 = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<8x1xi32>
  %start = arith.muli %row2, %pitches : tensor<8x1xi32>
  %first = arith.muli %y, %c8 : i32
  %firsts = tt.splat %first : i32 -> tensor<8xi32>
  %columns = arith.addi %firsts, %range : tensor<8xi32>
  %bound = tt.splat %count : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %columns, %bound : tensor<8xi32>
  %columns2 = tt.expand_dims %columns {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %mask2 = tt.expand_dims %mask {axis = 0 : i32} : tensor<8xi1> -> tensor<1x8xi1>
  %starts = tt.broadcast %start : tensor<8x1xi32> -> tensor<8x8xi32>
  %columns3 = tt.broadcast %columns2 : tensor<1x8xi32> -> tensor<8x8xi32>
  %mask3 = tt.broadcast %mask2 : tensor<1x8xi1> -> tensor<8x8xi1>
  %offsets = arith.addi %starts, %columns3 : tensor<8x8xi32>
  %ones = arith.constant dense<1.0> : tensor<8x8xf32>
  %ts = tt.splat %table : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %offsets : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %tp, %ones, %mask3 : (tensor<8x8x!tt.ptr<f32>>, tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %fs = tt.splat %table : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %named = arith.addi %firsts, %row : tensor<8xi32>
  %cp = tt.addptr %fs, %named : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %fp = tt.addptr %fs, %columns : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %some = arith.constant dense<1.0> : tensor<8xf32>
  %one = arith.constant 1.0 : f32
  %true = arith.constant true
  %place = tt.addptr %table, %x : !tt.ptr<f32>, i32
  %shorter = arith.addi %count, %x : i32
  %bounds = tt.splat %shorter : i32 -> tensor<8xi32>
  %less = arith.cmpi slt, %columns, %bounds : tensor<8xi32>
  // COLUMN %more = tt.atomic_rmw fadd, acq_rel, gpu, %cp, %some : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  // OTHER %more = tt.atomic_rmw fadd, acq_rel, gpu, %place, %one, %true : (!tt.ptr<f32>, f32, i1) -> f32
  // SYSTEM %more = tt.atomic_rmw fadd, acq_rel, sys, %tp, %ones, %mask3 : (tensor<8x8x!tt.ptr<f32>>, tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  // BOUND %more = tt.atomic_rmw fadd, acq_rel, gpu, %fp, %some, %less : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  tt.return
}
