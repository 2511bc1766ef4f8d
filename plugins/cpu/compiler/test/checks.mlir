// Asserts of tiles are checked as vectors, in the nest of the load that they protect and
// before it. Where an element is wrong, no other one is reported, nor anything read.
// RUN: split-file %s %t
// RUN: nereid compile %t/gather.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/reduce.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=REDUCE

// DEFINE: %{limit} =
// DEFINE: %{run} = nereid run %t/gather.mlir --target cpu --grid 2 f32[1024]=random:1:0:1 i32[1024]=range f32[1024]=zeros i32=%{limit}
// REDEFINE: %{limit} = 1024
// RUN: %{run} --save 2=%t.npy -O fast_paths=none
// RUN: %{run} --expect 2=%t.npy,0,0
// REDEFINE: %{limit} = 1023
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FAILS
// REDEFINE: %{limit} = 700
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FAILS
// REDEFINE: %{limit} = 0
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FAILS

// CHECK: nest [512] axis 0 lanes 16
// CHECK-NEXT: assert
// CHECK-NEXT: materialize
// CHECK: llvm.vector.reduce.and.v16i1
// FAILS: there is no such row

// A reduction may leave elements out, so the check has a nest of its own.
// REDUCE: assert
// REDUCE-NEXT: nest
// REDUCE-NEXT: reduce

//--- gather.mlir
tt.func public @gather(%x: !tt.ptr<f32>, %rows: !tt.ptr<i32>, %y: !tt.ptr<f32>, %limit: i32) {
  %program = tt.get_program_id x : i32
  %block = arith.constant 512 : i32
  %first = arith.muli %program, %block : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %k = arith.addi %firsts, %i : tensor<512xi32>
  %srows = tt.splat %rows : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %prows = tt.addptr %srows, %k : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %row = tt.load %prows : tensor<512x!tt.ptr<i32>>
  %limits = tt.splat %limit : i32 -> tensor<512xi32>
  %isRow = arith.cmpi slt, %row, %limits : tensor<512xi32>
  tt.assert %isRow, "there is no such row" : tensor<512xi1>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %sx, %row : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %px : tensor<512x!tt.ptr<f32>>
  %sy = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %py = tt.addptr %sy, %k : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %py, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

//--- reduce.mlir
tt.func public @reduce(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %sx, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %px : tensor<512x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %isPositive = arith.cmpf oge, %v, %zero : tensor<512xf32>
  tt.assert %isPositive, "x is negative" : tensor<512xi1>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<512xf32>) -> f32
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}
