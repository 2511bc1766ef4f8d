// Products of few rows wait for those of the programs after them, and read the rows
// of their right operands side by side.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=-joint-programs --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// Before the loop nothing may have an effect: a program could wait there for what
// another does after its loop.
// RUN: sed -e 's/%%k: i32)/%%k: i32, %%flag: !tt.ptr<i32>)/' -e 's/^  %%pid = .*/&\n  %%true = arith.constant true\n  %%old = tt.atomic_rmw add, acq_rel, gpu, %%flag, %%c1, %%true : (!tt.ptr<i32>, i32, i1) -> i32/' %s > %t.atomic.mlir
// RUN: nereid compile %t.atomic.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// Nothing after it may read a tile from before it, here the rows that wrap around.
// RUN: sed 's/arith.muli %%rows2, %%pitch_c/arith.muli %%rows, %%pitch_c/' %s > %t.rows.mlir
// RUN: nereid compile %t.rows.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/^  tt.return/  tt.print "rows" {hex = false, isSigned = array<i32: 1>} : %%wrapped : tensor<16xi32>\n&/' %s > %t.print.mlir
// RUN: nereid compile %t.print.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE
// ALONE: scf.for{{$}}

// Nine programs, of which the last has the columns of the first; one
// row, eight, and as many as are packed; a depth that ends in a block.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[1,96]=random:1 f32[96,512]=random:2 f32[1,576]=zeros i32=1 i32=96 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O threads=1 --grid 9 f32[1,96]=random:1 f32[96,512]=random:2 f32[1,576]=zeros i32=1 i32=96 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O threads=2 --grid 9 f32[1,96]=random:1 f32[96,512]=random:2 f32[1,576]=zeros i32=1 i32=96 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[8,96]=random:1 f32[96,512]=random:2 f32[8,576]=zeros i32=8 i32=96 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O threads=1 --grid 9 f32[8,96]=random:1 f32[96,512]=random:2 f32[8,576]=zeros i32=8 i32=96 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[13,96]=random:1 f32[96,512]=random:2 f32[13,576]=zeros i32=13 i32=96 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O threads=1 --grid 9 f32[13,96]=random:1 f32[96,512]=random:2 f32[13,576]=zeros i32=13 i32=96 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[3,96]=random:1 f32[96,512]=random:2 f32[3,576]=zeros i32=3 i32=70 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O threads=1 --grid 9 f32[3,96]=random:1 f32[96,512]=random:2 f32[3,576]=zeros i32=3 i32=70 --expect 2=%t.npy,0,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 9 f32[3,96]=random:1 f32[96,512]=random:2 f32[3,576]=ones i32=3 i32=0 --save 2=%t.npy
// RUN: nereid run %s --target cpu -O threads=1 --grid 9 f32[3,96]=random:1 f32[96,512]=random:2 f32[3,576]=ones i32=3 i32=0 --expect 2=%t.npy,0,0

// CHECK: scf.for, up to 16 programs at once
tt.func public @joint(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %m: i32, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %c31 = arith.constant 31 : i32
  %c64 = arith.constant 64 : i32
  %c512 = arith.constant 512 : i32
  %pitch_a = arith.constant dense<96> : tensor<16x1xi32>
  %pitch_b = arith.constant dense<512> : tensor<32x1xi32>
  %pitch_c = arith.constant dense<576> : tensor<16x1xi32>
  %zero_a = arith.constant dense<0.0> : tensor<16x32xf32>
  %zero_b = arith.constant dense<0.0> : tensor<32x64xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %pid = tt.get_program_id x : i32
  %block = arith.remsi %pid, %c8 : i32
  %first = arith.muli %block, %c64 : i32
  %out = arith.muli %pid, %c64 : i32
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %d = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ms = tt.splat %m : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %i, %ms : tensor<16xi32>
  %rows = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rows2 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %depth_a = tt.expand_dims %d {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %depth_b = tt.expand_dims %d {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %row_a = arith.muli %rows, %pitch_a : tensor<16x1xi32>
  %row_as = tt.broadcast %row_a : tensor<16x1xi32> -> tensor<16x32xi32>
  %column_as = tt.broadcast %depth_a : tensor<1x32xi32> -> tensor<16x32xi32>
  %offset_a = arith.addi %row_as, %column_as : tensor<16x32xi32>
  %row_b = arith.muli %depth_b, %pitch_b : tensor<32x1xi32>
  %row_bs = tt.broadcast %row_b : tensor<32x1xi32> -> tensor<32x64xi32>
  %column_bs = tt.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %offset_b = arith.addi %row_bs, %column_bs : tensor<32x64xi32>
  %b_first = tt.addptr %b, %first : !tt.ptr<f32>, i32
  %more = arith.addi %k, %c31 : i32
  %trips = arith.divsi %more, %c32 : i32
  %sums = scf.for %t = %c0 to %trips step %c1 iter_args(%sum = %zero) -> (tensor<16x64xf32>) : i32 {
    %done = arith.muli %t, %c32 : i32
    %left = arith.subi %k, %done : i32
    %a_step = tt.addptr %a, %done : !tt.ptr<f32>, i32
    %a_tile = tt.splat %a_step : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
    %a_at = tt.addptr %a_tile, %offset_a : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
    %left_a = tt.splat %left : i32 -> tensor<1x32xi32>
    %in_a = arith.cmpi slt, %depth_a, %left_a : tensor<1x32xi32>
    %mask_a = tt.broadcast %in_a : tensor<1x32xi1> -> tensor<16x32xi1>
    %x = tt.load %a_at, %mask_a, %zero_a : tensor<16x32x!tt.ptr<f32>>
    %b_done = arith.muli %done, %c512 : i32
    %b_step = tt.addptr %b_first, %b_done : !tt.ptr<f32>, i32
    %b_tile = tt.splat %b_step : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
    %b_at = tt.addptr %b_tile, %offset_b : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    %left_b = tt.splat %left : i32 -> tensor<32x1xi32>
    %in_b = arith.cmpi slt, %depth_b, %left_b : tensor<32x1xi32>
    %mask_b = tt.broadcast %in_b : tensor<32x1xi1> -> tensor<32x64xi1>
    %y = tt.load %b_at, %mask_b, %zero_b : tensor<32x64x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %sum : tensor<16x32xf32> * tensor<32x64xf32> -> tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  %row_c = arith.muli %rows2, %pitch_c : tensor<16x1xi32>
  %row_cs = tt.broadcast %row_c : tensor<16x1xi32> -> tensor<16x64xi32>
  %column_cs = tt.broadcast %columns : tensor<1x64xi32> -> tensor<16x64xi32>
  %offset_c = arith.addi %row_cs, %column_cs : tensor<16x64xi32>
  %c_first = tt.addptr %c, %out : !tt.ptr<f32>, i32
  %c_tile = tt.splat %c_first : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %c_at = tt.addptr %c_tile, %offset_c : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %m_rows = tt.splat %m : i32 -> tensor<16x1xi32>
  %in_c = arith.cmpi slt, %rows2, %m_rows : tensor<16x1xi32>
  %mask_c = tt.broadcast %in_c : tensor<16x1xi1> -> tensor<16x64xi1>
  tt.store %c_at, %sums, %mask_c : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
