// Rows of 96 = 3 * 32 elements by their numbers, in a tensor that is seen as one
// row. Of the index, only what is above the factor 32 is divided by 3, once for
// each row of the tile. The mask of all elements keeps only the last of them
// from memory, and of the rows' numbers it needs only the first of each row:
// they are loaded, and what is asserted of them is, once for a row.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// DEFINE: %{count} = 1900
// DEFINE: %{inputs} = i32[20]=random:1:0:30 f32[2880]=random:2 f32[2048]=zeros i32=%{count}
// DEFINE: %{check} = nereid run %s --target cpu --grid 4 --no-cache -O fast_paths=none %{inputs} --save 2=%t.npy && nereid run %s --target cpu --grid 4 --no-cache %{inputs} --expect 2=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{count} = 1920
// RUN: %{check}
// REDEFINE: %{count} = 0
// RUN: %{check}

// CHECK: where no index overflows
// CHECK: nest [16x1] axis 0 lanes 16
// CHECK-NEXT: mask %{{.*}} below a bound
// CHECK-NEXT: materialize
// CHECK-NEXT: assert
// CHECK-NEXT: copy %[[ROWS:[0-9]+]] to {{.*}} overlaps
// CHECK-NEXT: nest [16x32] axis 1 lanes 16
// CHECK-NEXT: mask %{{.*}} below a bound
// CHECK-NEXT: store %[[ROWS]]
// CHECK-NOT: pieces
// CHECK: elsewhere
// The rows of the table are whole vectors.
// CHECK: masked.load.v16f32

tt.func public @rows(%names: !tt.ptr<i32>, %table: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c512 = arith.constant 512 : i32
  %c96 = arith.constant dense<96> : tensor<512xi32>
  %zero = arith.constant dense<0> : tensor<512xi32>
  %most = arith.constant dense<30> : tensor<512xi32>
  %true = arith.constant dense<true> : tensor<512xi1>
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c512 : i32
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %own = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %index = arith.addi %firsts, %own : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %index, %ns : tensor<512xi32>
  %row = arith.divsi %index, %c96 : tensor<512xi32>
  %column = arith.remsi %index, %c96 : tensor<512xi32>
  %allNames = tt.splat %names : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %namesAt = tt.addptr %allNames, %row : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %name = tt.load %namesAt, %mask : tensor<512x!tt.ptr<i32>>
  %isLeast = arith.cmpi sge, %name, %zero : tensor<512xi32>
  %isMost = arith.cmpi slt, %name, %most : tensor<512xi32>
  %isRow = arith.andi %isLeast, %isMost : tensor<512xi1>
  %outside = arith.xori %mask, %true : tensor<512xi1>
  %holds = arith.ori %isRow, %outside : tensor<512xi1>
  tt.assert %holds, "no such row" : tensor<512xi1>
  %start = arith.muli %name, %c96 : tensor<512xi32>
  %at = arith.addi %start, %column : tensor<512xi32>
  %tables = tt.splat %table : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %from = tt.addptr %tables, %at : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %from, %mask : tensor<512x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.addptr %outs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %to, %x, %mask : tensor<512x!tt.ptr<f32>>
  tt.return
}
