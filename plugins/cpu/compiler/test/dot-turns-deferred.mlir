// Programs of a product that is split along its depth take turns: those with the same
// rows share the left operand, those with the same columns the right one.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=-dot-turns --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// Who fills an operand must run as many iterations as the others, and nobody may wait.
// RUN: sed 's/^  %%pid = .*/&\n  %%true = arith.constant true\n  %%old = tt.atomic_rmw fadd, acq_rel, gpu, %%c, %%one, %%true : (!tt.ptr<f32>, f32, i1) -> f32/' %s > %t.atomic.mlir
// RUN: nereid compile %t.atomic.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/= %%c0 to %%trips/= %%c0 to %%split/' %s > %t.own.mlir
// RUN: nereid compile %t.own.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=OWN
// ALONE: scf.for{{$}}
// OWN: programs take turns by %{{[0-9]+}}, some share

// Twelve programs of three splits, with as many iterations as are deferred or more, and
// as many as their split's number.
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O fast_paths=none --grid 12 f32[32,2304]=random:1 f32[2304,64]=random:2 f32[32,64]=zeros i32=48 --save 2=%t.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O threads=1 --grid 12 f32[32,2304]=random:1 f32[2304,64]=random:2 f32[32,64]=zeros i32=48 --expect 2=%t.npy,1e-4,1e-4
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O threads=3 --grid 12 f32[32,2304]=random:1 f32[2304,64]=random:2 f32[32,64]=zeros i32=48 --expect 2=%t.npy,1e-4,1e-4
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.own.mlir --target cpu -O fast_paths=none --grid 12 f32[32,2304]=random:1 f32[2304,64]=random:2 f32[32,64]=ones i32=48 --save 2=%t.npy
// RUN: env NEREID_CPU_POISON_SCRATCH=0 nereid run %t.own.mlir --target cpu -O threads=1 --grid 12 f32[32,2304]=random:1 f32[2304,64]=random:2 f32[32,64]=ones i32=48 --expect 2=%t.npy,1e-4,1e-4

// The sums are those of a program; the operands have a place for each.
// CHECK-DAG: b[[SUMS:[0-9]+]] [16x32] f32 x8 at
// CHECK-DAG: b[[LEFT:[0-9]+]] [16x16] f32 x[[#TILES:]] x8
// CHECK-DAG: b[[RIGHT:[0-9]+]] [16x32] f32 x[[#TILES]] x8
// CHECK: scf.for, up to 8 programs take turns, some share b[[LEFT]] by %{{[0-9]+}}, %{{[0-9]+}}, some share b[[RIGHT]] by %{{[0-9]+}}, %{{[0-9]+$}}
// CHECK-NEXT: carry %{{.+}} in b[[SUMS]]{{$}}
tt.func public @split(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1.0 : f32
  %pitch_a = arith.constant dense<2304> : tensor<16x1xi32>
  %pitch_b = arith.constant dense<64> : tensor<16x1xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %all = arith.constant dense<true> : tensor<16x32xi1>
  %pid = tt.get_program_id x : i32
  %split = arith.divui %pid, %c4 : i32
  %tile = arith.remui %pid, %c4 : i32
  %row = arith.divui %tile, %c2 : i32
  %column = arith.remui %tile, %c2 : i32
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %first_row = arith.muli %row, %c16 : i32
  %first_row_t = tt.splat %first_row : i32 -> tensor<16xi32>
  %rows_1 = arith.addi %first_row_t, %i : tensor<16xi32>
  %rows = tt.expand_dims %rows_1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %first_column = arith.muli %column, %c32 : i32
  %first_column_t = tt.splat %first_column : i32 -> tensor<32xi32>
  %columns_1 = arith.addi %first_column_t, %j : tensor<32xi32>
  %columns = tt.expand_dims %columns_1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns_b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<16x32xi32>
  %starts = arith.muli %rows, %pitch_a : tensor<16x1xi32>
  %starts_b = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %a_tile = tt.splat %a : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %b_tile = tt.splat %b : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %sums = scf.for %t = %c0 to %trips step %c1 iter_args(%sum = %zero) -> (tensor<16x32xf32>) : i32 {
    // Every third block of the depth.
    %thrice = arith.muli %t, %c3 : i32
    %block = arith.addi %thrice, %split : i32
    %k = arith.muli %block, %c16 : i32
    %k_t = tt.splat %k : i32 -> tensor<16xi32>
    %depth_1 = arith.addi %k_t, %i : tensor<16xi32>
    %depth = tt.expand_dims %depth_1 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %depth_b = tt.broadcast %depth : tensor<1x16xi32> -> tensor<16x16xi32>
    %a_offsets = arith.addi %starts_b, %depth_b : tensor<16x16xi32>
    %a_at = tt.addptr %a_tile, %a_offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %x = tt.load %a_at : tensor<16x16x!tt.ptr<f32>>
    %depth_e = tt.expand_dims %depth_1 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %b_starts = arith.muli %depth_e, %pitch_b : tensor<16x1xi32>
    %b_starts_b = tt.broadcast %b_starts : tensor<16x1xi32> -> tensor<16x32xi32>
    %b_offsets = arith.addi %b_starts_b, %columns_b : tensor<16x32xi32>
    %b_at = tt.addptr %b_tile, %b_offsets : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %y = tt.load %b_at : tensor<16x32x!tt.ptr<f32>>
    %more = tt.dot %x, %y, %sum : tensor<16x16xf32> * tensor<16x32xf32> -> tensor<16x32xf32>
    scf.yield %more : tensor<16x32xf32>
  }
  %c_starts = arith.muli %rows, %pitch_b : tensor<16x1xi32>
  %c_starts_b = tt.broadcast %c_starts : tensor<16x1xi32> -> tensor<16x32xi32>
  %c_offsets = arith.addi %c_starts_b, %columns_b : tensor<16x32xi32>
  %c_tile = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %c_at = tt.addptr %c_tile, %c_offsets : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %old_c = tt.atomic_rmw fadd, acq_rel, gpu, %c_at, %sums, %all : (tensor<16x32x!tt.ptr<f32>>, tensor<16x32xf32>, tensor<16x32xi1>) -> tensor<16x32xf32>
  tt.return
}
