// Rows seen as one, whose numbers are loaded: in a piece there is one number, and its
// elements are neighbours. Where the places in each row are loaded, the quotient is one.
// RUN: split-file %s %t
// RUN: nereid compile %t/select.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/gather.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=GATHER

// DEFINE: %{width} =
// DEFINE: %{inputs} = i32[2000]=random:1:0:1000 i32[1024]=random:2:0:9 i32[1024]=zeros i32=%{width} i32=1000
// DEFINE: %{check} = nereid run %t/select.mlir --target cpu --grid 2 -O fast_paths=none %{inputs} --save 2=%t.npy && nereid run %t/select.mlir --target cpu --grid 2 %{inputs} --expect 2=%t.npy,0,0 && nereid run %t/gather.mlir --target cpu --grid 2 -O fast_paths=none %{inputs} --save 2=%t.npy && nereid run %t/gather.mlir --target cpu --grid 2 %{inputs} --expect 2=%t.npy,0,0
// REDEFINE: %{width} = 100
// RUN: %{check}
// REDEFINE: %{width} = 64
// RUN: %{check}
// REDEFINE: %{width} = 33
// RUN: %{check}
// REDEFINE: %{width} = 3
// RUN: %{check}

// The numbers are read where they are needed, and not kept.
// CHECK-DAG: pieces of %{{.*}}, constant
// CHECK-DAG: pieces of %{{.*}}, contiguous
// CHECK: materialize %{{.*}} in b0
// CHECK-NEXT: nest
// CHECK: load <16 x i32>, ptr
// CHECK: store <16 x i32>
// GATHER: pieces of %{{.*}}, constant
// GATHER-NOT: pieces of

//--- select.mlir
tt.func public @select(%x: !tt.ptr<i32>, %rows: !tt.ptr<i32>, %y: !tt.ptr<i32>, %width: i32, %count: i32) {
  %program = tt.get_program_id x : i32
  %block = arith.constant 512 : i32
  %first = arith.muli %program, %block : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %k = arith.addi %firsts, %i : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %k, %counts : tensor<512xi32>
  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %q = arith.divsi %k, %widths : tensor<512xi32>
  %r = arith.remsi %k, %widths : tensor<512xi32>
  %srows = tt.splat %rows : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %prows = tt.addptr %srows, %q : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %zero = arith.constant dense<0> : tensor<512xi32>
  %row = tt.load %prows, %mask, %zero : tensor<512x!tt.ptr<i32>>
  %start = arith.muli %row, %widths : tensor<512xi32>
  %place = arith.addi %start, %r : tensor<512xi32>
  %sx = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %px = tt.addptr %sx, %place : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %v = tt.load %px, %mask, %zero : tensor<512x!tt.ptr<i32>>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %py = tt.addptr %sy, %k : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %py, %v, %mask : tensor<512x!tt.ptr<i32>>
  tt.return
}

//--- gather.mlir
tt.func public @gather(%x: !tt.ptr<i32>, %places: !tt.ptr<i32>, %y: !tt.ptr<i32>, %width: i32, %count: i32) {
  %program = tt.get_program_id x : i32
  %block = arith.constant 512 : i32
  %first = arith.muli %program, %block : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %k = arith.addi %firsts, %i : tensor<512xi32>
  %counts = tt.splat %count : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %k, %counts : tensor<512xi32>
  %widths = tt.splat %width : i32 -> tensor<512xi32>
  %q = arith.divsi %k, %widths : tensor<512xi32>
  %start = arith.muli %q, %widths : tensor<512xi32>
  %splaces = tt.splat %places : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %pplaces = tt.addptr %splaces, %k : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %zero = arith.constant dense<0> : tensor<512xi32>
  %column = tt.load %pplaces, %mask, %zero : tensor<512x!tt.ptr<i32>>
  %place = arith.addi %start, %column : tensor<512xi32>
  %sx = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %px = tt.addptr %sx, %place : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %v = tt.load %px, %mask, %zero : tensor<512x!tt.ptr<i32>>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %py = tt.addptr %sy, %k : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  tt.store %py, %v, %mask : tensor<512x!tt.ptr<i32>>
  tt.return
}
