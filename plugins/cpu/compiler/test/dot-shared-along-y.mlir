// Where programs with the same columns follow one another along y, they run along y
// first: a right operand stays packed for them. An early return does not prevent it.
// RUN: split-file %s %t
// RUN: nereid compile %t/columns-along-x.mlir --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/columns-along-x.mlir --target cpu -O fast_paths=-grid-order --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X
// CHECK: programs along y first
// CHECK: right shared by
// ALONG-X-NOT: along y
// ALONG-X: right shared by

// Not where columns are along y, and not where all are along x.
// RUN: sed 's/%%column = tt.get_program_id x/%%column = tt.get_program_id y/; s/%%row = tt.get_program_id y/%%row = tt.get_program_id x/' %t/columns-along-x.mlir > %t/columns-along-y.mlir
// RUN: nereid compile %t/columns-along-y.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X
// RUN: sed 's/%%row = tt.get_program_id y : i32/%%row = arith.constant 0 : i32/' %t/columns-along-x.mlir > %t/one-row.mlir
// RUN: nereid compile %t/one-row.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONG-X

// Branches back could run the loop after a store.
// RUN: sed 's/tt.return$/cf.br ^bb2/' %t/columns-along-x.mlir > %t/back.mlir
// RUN: nereid compile %t/back.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=BACK
// BACK-NOT: right shared by

// Three blocks of columns, five of rows, the last of which return early.
// RUN: nereid run %t/columns-along-x.mlir --target cpu -O fast_paths=none --grid 3,5 f32[160,96]=random:1 f32[96,96]=random:2 f32[160,96]=zeros i32=3 --save 2=%t/out.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t/columns-along-x.mlir --target cpu -O threads=1 --grid 3,5 f32[160,96]=random:1 f32[96,96]=random:2 f32[160,96]=zeros i32=3 --expect 2=%t/out.npy,1e-4,1e-4
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t/columns-along-x.mlir --target cpu -O threads=2 --grid 3,5 f32[160,96]=random:1 f32[96,96]=random:2 f32[160,96]=zeros i32=3 --expect 2=%t/out.npy,1e-4,1e-4

//--- columns-along-x.mlir
tt.func public @product(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %blocks: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %pitch = arith.constant dense<96> : tensor<32x1xi32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %column = tt.get_program_id x : i32
  %row = tt.get_program_id y : i32
  %isPast = arith.cmpi sge, %row, %blocks : i32
  cf.cond_br %isPast, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %first_row = arith.muli %row, %c32 : i32
  %first_row_t = tt.splat %first_row : i32 -> tensor<32xi32>
  %rows_1 = arith.addi %first_row_t, %i : tensor<32xi32>
  %rows = tt.expand_dims %rows_1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %first_column = arith.muli %column, %c32 : i32
  %first_column_t = tt.splat %first_column : i32 -> tensor<32xi32>
  %columns_1 = arith.addi %first_column_t, %i : tensor<32xi32>
  %columns = tt.expand_dims %columns_1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns_b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %starts = arith.muli %rows, %pitch : tensor<32x1xi32>
  %starts_b = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %a_tile = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %b_tile = tt.splat %b : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %sums = scf.for %t = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (tensor<32x32xf32>) : i32 {
    %k = arith.muli %t, %c32 : i32
    %k_t = tt.splat %k : i32 -> tensor<32xi32>
    %depth_1 = arith.addi %k_t, %i : tensor<32xi32>
    %depth = tt.expand_dims %depth_1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %depth_b = tt.broadcast %depth : tensor<1x32xi32> -> tensor<32x32xi32>
    %a_offsets = arith.addi %starts_b, %depth_b : tensor<32x32xi32>
    %a_at = tt.addptr %a_tile, %a_offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %a_at : tensor<32x32x!tt.ptr<f32>>
    %depth_e = tt.expand_dims %depth_1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %b_starts = arith.muli %depth_e, %pitch : tensor<32x1xi32>
    %b_starts_b = tt.broadcast %b_starts : tensor<32x1xi32> -> tensor<32x32xi32>
    %b_offsets = arith.addi %b_starts_b, %columns_b : tensor<32x32xi32>
    %b_at = tt.addptr %b_tile, %b_offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %y = tt.load %b_at : tensor<32x32x!tt.ptr<f32>>
    %more = tt.dot %x, %y, %sum : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %more : tensor<32x32xf32>
  }
  %c_offsets = arith.addi %starts_b, %columns_b : tensor<32x32xi32>
  %c_tile = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %c_at = tt.addptr %c_tile, %c_offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %c_at, %sums : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
