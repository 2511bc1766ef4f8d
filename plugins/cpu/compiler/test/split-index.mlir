// Tiles whose index is divided by powers of two have a dimension for each part of it:
// atomic updates of rows are those of neighbours, and what an index of a row names is
// read once. Elsewhere, and in grids so large that the index is negative, nothing is
// known of the quotients.
// RUN: split-file %s %t
// RUN: nereid compile %t/parts.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=PARTS
// RUN: nereid compile %t/update.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=UPDATE
// RUN: nereid compile %t/short.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=SHORT
// RUN: nereid compile %t/alone.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=ALONE

// DEFINE: %{grid} =
// DEFINE: %{file} =
// DEFINE: %{inputs} =
// DEFINE: %{check} = nereid run %t/%{file}.mlir --target cpu --grid %{grid} -O fast_paths=none %{inputs} --save 0=%t.npy && nereid run %t/%{file}.mlir --target cpu --grid %{grid} %{inputs} --expect 0=%t.npy,0,0
// REDEFINE: %{file} = parts
// REDEFINE: %{inputs} = i32[24576]=zeros
// REDEFINE: %{grid} = 1
// RUN: %{check}
// REDEFINE: %{grid} = 2
// RUN: %{check}
// REDEFINE: %{grid} = 8
// RUN: %{check}
// REDEFINE: %{file} = update
// REDEFINE: %{inputs} = f32[4096]=ones i32[64]=random:1:0:16 f32[4096]=range
// REDEFINE: %{grid} = 16
// RUN: %{check}

// PARTS: where no index overflows:
// PARTS: nest [2x8x64] axis 2
// PARTS: elsewhere:
// PARTS-NOT: {{[[][0-9]+x}}
// UPDATE: materialize
// UPDATE: nest [4x64] axis 1 lanes 4 unroll 1 plain lanes 16
// UPDATE-NEXT: atomic_rmw
// SHORT: where no index overflows:
// SHORT: nest [256] axis 0
// ALONE-NOT: where no index overflows:

//--- parts.mlir
tt.func public @parts(%y: !tt.ptr<i32>) {
  %program = tt.get_program_id x : i32
  // The first index is negative in half of the programs but the first ones.
  %step = arith.constant 536870912 : i32
  %first = arith.muli %program, %step : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %firsts = tt.splat %first : i32 -> tensor<1024xi32>
  %k = arith.addi %firsts, %i : tensor<1024xi32>
  %c64 = arith.constant dense<64> : tensor<1024xi32>
  %c512 = arith.constant dense<512> : tensor<1024xi32>
  %column = arith.remsi %k, %c64 : tensor<1024xi32>
  %row = arith.divsi %k, %c512 : tensor<1024xi32>
  %part = arith.remsi %row, %c512 : tensor<1024xi32>
  // Where this program stores.
  %own = arith.constant 3072 : i32
  %start = arith.muli %program, %own : i32
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %place = arith.addi %starts, %i : tensor<1024xi32>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %py = tt.addptr %sy, %place : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %c1024 = arith.constant dense<1024> : tensor<1024xi32>
  %py1 = tt.addptr %py, %c1024 : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %py2 = tt.addptr %py1, %c1024 : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %py, %column : tensor<1024x!tt.ptr<i32>>
  tt.store %py1, %row : tensor<1024x!tt.ptr<i32>>
  tt.store %py2, %part : tensor<1024x!tt.ptr<i32>>
  tt.return
}

//--- update.mlir
tt.func public @update(%y: !tt.ptr<f32>, %rows: !tt.ptr<i32>, %x: !tt.ptr<f32>) {
  %program = tt.get_program_id x : i32
  %block = arith.constant 256 : i32
  %first = arith.muli %program, %block : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %firsts = tt.splat %first : i32 -> tensor<256xi32>
  %k = arith.addi %firsts, %i : tensor<256xi32>
  %c64 = arith.constant dense<64> : tensor<256xi32>
  %column = arith.remsi %k, %c64 : tensor<256xi32>
  %number = arith.divsi %k, %c64 : tensor<256xi32>
  %srows = tt.splat %rows : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %prows = tt.addptr %srows, %number : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %row = tt.load %prows : tensor<256x!tt.ptr<i32>>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %px = tt.addptr %sx, %k : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %px : tensor<256x!tt.ptr<f32>>
  %start = arith.muli %row, %c64 : tensor<256xi32>
  %place = arith.addi %start, %column : tensor<256xi32>
  %sy = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %py = tt.addptr %sy, %place : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %py, %v : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>) -> tensor<256xf32>
  tt.return
}

//--- short.mlir
tt.func public @short(%y: !tt.ptr<i32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %c8 = arith.constant dense<8> : tensor<256xi32>
  %column = arith.remsi %i, %c8 : tensor<256xi32>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %py = tt.addptr %sy, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %py, %column : tensor<256x!tt.ptr<i32>>
  tt.return
}

//--- alone.mlir
tt.func public @alone(%y: !tt.ptr<i32>) {
  %one = arith.constant dense<1> : tensor<1xi32>
  %sy1 = tt.splat %y : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
  tt.store %sy1, %one : tensor<1x!tt.ptr<i32>>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %c64 = arith.constant dense<64> : tensor<256xi32>
  %column = arith.remsi %i, %c64 : tensor<256xi32>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %py = tt.addptr %sy, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %py, %column : tensor<256x!tt.ptr<i32>>
  tt.return
}
