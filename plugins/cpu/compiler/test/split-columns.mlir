// Quotients and remainders of the numbers of columns are bits of the index: one
// element is loaded for all lanes that read it. In any grid if the numbers begin
// at zero or are divided as unsigned ones; else there is a second form for grids
// in which they overflow.
// RUN: split-file %s %t
// RUN: nereid compile %t/range.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/range.mlir
// RUN: nereid compile %t/grid.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/grid.mlir
// RUN: nereid compile %t/unsigned.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/unsigned.mlir
// RUN: nereid compile %t/stride.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/stride.mlir
// RUN: nereid compile %t/loop.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/loop.mlir
// RUN: sed 's/to %length step %c128/to %end step %one/; s/%firsts = tt.splat %k/%first = arith.muli %k, %c128 : i32 %firsts = tt.splat %first/' %t/loop.mlir > %t/multiple.mlir
// RUN: nereid compile %t/multiple.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/loop.mlir --check-prefix=MULTIPLE
// RUN: sed 's/divsi %length, %c128/divsi %length, %c64/' %t/multiple.mlir > %t/far.mlir
// RUN: nereid compile %t/far.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %t/loop.mlir --check-prefix=FAR
// DEFINE: %{inputs} = i32[128]=random:1 f32[256]=zeros
// RUN: nereid run %t/range.mlir --target cpu --grid 2 --no-cache %{inputs} --save 1=%t.npy
// RUN: nereid run %t/range.mlir --target cpu --grid 2 --no-cache -O fast_paths=none %{inputs} --expect 1=%t.npy,0,0
// RUN: nereid run %t/grid.mlir --target cpu --grid 2 --no-cache %{inputs} --save 1=%t.npy
// RUN: nereid run %t/grid.mlir --target cpu --grid 2 --no-cache -O fast_paths=none %{inputs} --expect 1=%t.npy,0,0
// RUN: nereid run %t/stride.mlir --target cpu --grid 2 --no-cache %{inputs} i32=1 --save 1=%t.npy
// RUN: nereid run %t/stride.mlir --target cpu --grid 2 --no-cache -O fast_paths=none %{inputs} i32=1 --expect 1=%t.npy,0,0
// RUN: nereid run %t/unsigned.mlir --target cpu --grid 2 --no-cache %{inputs} --save 1=%t.npy
// RUN: nereid run %t/unsigned.mlir --target cpu --grid 2 --no-cache -O fast_paths=none %{inputs} --expect 1=%t.npy,0,0
// RUN: nereid run %t/loop.mlir --target cpu --grid 2 --no-cache i32[4096]=random:1 i32[4096]=zeros i32=256 --save 1=%t.npy
// RUN: nereid run %t/loop.mlir --target cpu --grid 2 --no-cache -O fast_paths=none i32[4096]=random:1 i32[4096]=zeros i32=256 --expect 1=%t.npy,0,0
// RUN: nereid run %t/multiple.mlir --target cpu --grid 2 --no-cache i32[4096]=random:1 i32[4096]=zeros i32=256 --save 1=%t.npy
// RUN: nereid run %t/multiple.mlir --target cpu --grid 2 --no-cache -O fast_paths=none i32[4096]=random:1 i32[4096]=zeros i32=256 --expect 1=%t.npy,0,0

//--- loop.mlir
// The index of a loop is not negative, nor is its product if the end is a quotient by
// as much.
// CHECK-NOT: elsewhere
// CHECK-NOT: gather
// MULTIPLE-NOT: gather
// FAR: gather
tt.func public @unpack(%words: !tt.ptr<i32>, %out: !tt.ptr<i32>, %length: i32) {
  %two = arith.constant dense<2> : tensor<128xi32>
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %end = arith.divsi %length, %c128 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r = arith.addi %starts, %r8 : tensor<8xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %rowWords = tt.splat %length : i32 -> tensor<8x1xi32>
  %line = arith.muli %row, %rowWords : tensor<8x1xi32>
  %lines = tt.broadcast %line : tensor<8x1xi32> -> tensor<8x128xi32>
  %froms = tt.splat %words : !tt.ptr<i32> -> tensor<8x128x!tt.ptr<i32>>
  %c = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %tos = tt.splat %out : !tt.ptr<i32> -> tensor<8x128x!tt.ptr<i32>>
  scf.for %k = %none to %length step %c128 : i32 {
    %firsts = tt.splat %k : i32 -> tensor<128xi32>
    %column = arith.addi %firsts, %c : tensor<128xi32>
    %word = arith.divsi %column, %two : tensor<128xi32>
    %place = tt.expand_dims %word {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %all = tt.broadcast %place : tensor<1x128xi32> -> tensor<8x128xi32>
    %offset = arith.addi %lines, %all : tensor<8x128xi32>
    %from = tt.addptr %froms, %offset : tensor<8x128x!tt.ptr<i32>>, tensor<8x128xi32>
    %packed = tt.load %from : tensor<8x128x!tt.ptr<i32>>
    %own = tt.expand_dims %column {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %owns = tt.broadcast %own : tensor<1x128xi32> -> tensor<8x128xi32>
    %x = arith.xori %packed, %owns : tensor<8x128xi32>
    %where = arith.addi %lines, %owns : tensor<8x128xi32>
    %to = tt.addptr %tos, %where : tensor<8x128x!tt.ptr<i32>>, tensor<8x128xi32>
    tt.store %to, %x : tensor<8x128x!tt.ptr<i32>>
  }
  tt.return
}

//--- range.mlir
// CHECK-NOT: elsewhere
// CHECK: load i32
// CHECK-NOT: gather
tt.func public @unpack(%words: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %four = arith.constant dense<4> : tensor<1x32xi32>
  %eight = arith.constant dense<8> : tensor<1x32xi32>
  %mask = arith.constant dense<15> : tensor<4x32xi32>
  %rowWords = arith.constant dense<4> : tensor<4x1xi32>
  %rowSize = arith.constant dense<32> : tensor<4x1xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %word = arith.divsi %column, %eight : tensor<1x32xi32>
  %place = arith.remsi %column, %eight : tensor<1x32xi32>
  %shift = arith.muli %place, %four : tensor<1x32xi32>
  %starts = arith.muli %row, %rowWords : tensor<4x1xi32>
  %a = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x32xi32>
  %b = tt.broadcast %word : tensor<1x32xi32> -> tensor<4x32xi32>
  %offset = arith.addi %a, %b : tensor<4x32xi32>
  %froms = tt.splat %words : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %from = tt.addptr %froms, %offset : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %packed = tt.load %from : tensor<4x32x!tt.ptr<i32>>
  %shifts = tt.broadcast %shift : tensor<1x32xi32> -> tensor<4x32xi32>
  %shifted = arith.shrui %packed, %shifts : tensor<4x32xi32>
  %bits = arith.andi %shifted, %mask : tensor<4x32xi32>
  %x = arith.sitofp %bits : tensor<4x32xi32> to tensor<4x32xf32>
  %rows = arith.muli %row, %rowSize : tensor<4x1xi32>
  %d = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x32xi32>
  %e = tt.broadcast %column : tensor<1x32xi32> -> tensor<4x32xi32>
  %index = arith.addi %d, %e : tensor<4x32xi32>
  %tos = tt.splat %out : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %to = tt.addptr %tos, %index : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %to, %x : tensor<4x32x!tt.ptr<f32>>
  tt.return
}

//--- grid.mlir
// CHECK: where no index overflows:
// CHECK-NOT: pieces
// CHECK: elsewhere:
// CHECK: shufflevector <4 x i32> {{.*}} <i32 0, i32 0, i32 1, i32 1,
tt.func public @pairs(%words: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %size = arith.constant 32 : i32
  %two = arith.constant dense<2> : tensor<32xi32>
  %rowSize = arith.constant dense<64> : tensor<4x1xi32>
  %rowWords = arith.constant dense<16> : tensor<4x1xi32>
  %id = tt.get_program_id x : i32
  %first = arith.muli %id, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.addi %firsts, %range : tensor<32xi32>
  %word = arith.divsi %c, %two : tensor<32xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %words0 = tt.expand_dims %word {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %row, %rowWords : tensor<4x1xi32>
  %a = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x32xi32>
  %b = tt.broadcast %words0 : tensor<1x32xi32> -> tensor<4x32xi32>
  %offset = arith.addi %a, %b : tensor<4x32xi32>
  %froms = tt.splat %words : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %from = tt.addptr %froms, %offset : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %packed = tt.load %from : tensor<4x32x!tt.ptr<i32>>
  %x = arith.sitofp %packed : tensor<4x32xi32> to tensor<4x32xf32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = arith.muli %row, %rowSize : tensor<4x1xi32>
  %d = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x32xi32>
  %e = tt.broadcast %column : tensor<1x32xi32> -> tensor<4x32xi32>
  %index = arith.addi %d, %e : tensor<4x32xi32>
  %tos = tt.splat %out : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %to = tt.addptr %tos, %index : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %to, %x : tensor<4x32x!tt.ptr<f32>>
  tt.return
}

//--- stride.mlir
// CHECK: where strides are one and no index overflows:
// CHECK: elsewhere:
tt.func public @strided(%words: !tt.ptr<i32>, %out: !tt.ptr<f32>, %stride: i32) {
  %size = arith.constant 32 : i32
  %two = arith.constant dense<2> : tensor<32xi32>
  %rowSize = arith.constant dense<64> : tensor<4x1xi32>
  %rowWords = arith.constant dense<16> : tensor<4x1xi32>
  %id = tt.get_program_id x : i32
  %first = arith.muli %id, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.addi %firsts, %range : tensor<32xi32>
  %word = arith.divsi %c, %two : tensor<32xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %words0 = tt.expand_dims %word {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %row, %rowWords : tensor<4x1xi32>
  %a = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x32xi32>
  %b = tt.broadcast %words0 : tensor<1x32xi32> -> tensor<4x32xi32>
  %offset = arith.addi %a, %b : tensor<4x32xi32>
  %froms = tt.splat %words : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %from = tt.addptr %froms, %offset : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %packed = tt.load %from : tensor<4x32x!tt.ptr<i32>>
  %x = arith.sitofp %packed : tensor<4x32xi32> to tensor<4x32xf32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = arith.muli %row, %rowSize : tensor<4x1xi32>
  %d = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x32xi32>
  %apart = tt.splat %stride : i32 -> tensor<1x32xi32>
  %place = arith.muli %column, %apart : tensor<1x32xi32>
  %e = tt.broadcast %place : tensor<1x32xi32> -> tensor<4x32xi32>
  %index = arith.addi %d, %e : tensor<4x32xi32>
  %tos = tt.splat %out : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %to = tt.addptr %tos, %index : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %to, %x : tensor<4x32x!tt.ptr<f32>>
  tt.return
}

//--- unsigned.mlir
// CHECK-NOT: elsewhere
// CHECK: shufflevector <4 x i32> {{.*}} <i32 0, i32 0, i32 1, i32 1,
tt.func public @shifted(%words: !tt.ptr<i32>, %out: !tt.ptr<f32>) {
  %size = arith.constant 32 : i32
  %one = arith.constant dense<1> : tensor<32xi32>
  %rowSize = arith.constant dense<64> : tensor<4x1xi32>
  %rowWords = arith.constant dense<16> : tensor<4x1xi32>
  %id = tt.get_program_id x : i32
  %first = arith.muli %id, %size : i32
  %firsts = tt.splat %first : i32 -> tensor<32xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.addi %firsts, %range : tensor<32xi32>
  %word = arith.shrsi %c, %one : tensor<32xi32>
  %half = arith.andi %c, %one : tensor<32xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %words0 = tt.expand_dims %word {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %row, %rowWords : tensor<4x1xi32>
  %a = tt.broadcast %starts : tensor<4x1xi32> -> tensor<4x32xi32>
  %b = tt.broadcast %words0 : tensor<1x32xi32> -> tensor<4x32xi32>
  %offset = arith.addi %a, %b : tensor<4x32xi32>
  %froms = tt.splat %words : !tt.ptr<i32> -> tensor<4x32x!tt.ptr<i32>>
  %from = tt.addptr %froms, %offset : tensor<4x32x!tt.ptr<i32>>, tensor<4x32xi32>
  %packed = tt.load %from : tensor<4x32x!tt.ptr<i32>>
  %halves = tt.expand_dims %half {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %shift = tt.broadcast %halves : tensor<1x32xi32> -> tensor<4x32xi32>
  %shifted = arith.shrui %packed, %shift : tensor<4x32xi32>
  %x = arith.sitofp %shifted : tensor<4x32xi32> to tensor<4x32xf32>
  %column = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = arith.muli %row, %rowSize : tensor<4x1xi32>
  %d = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x32xi32>
  %e = tt.broadcast %column : tensor<1x32xi32> -> tensor<4x32xi32>
  %index = arith.addi %d, %e : tensor<4x32xi32>
  %tos = tt.splat %out : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %to = tt.addptr %tos, %index : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %to, %x : tensor<4x32x!tt.ptr<f32>>
  tt.return
}
