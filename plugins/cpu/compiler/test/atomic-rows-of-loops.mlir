// Numbers of rows that are loaded before a loop are kept as they are, not as
// pointers, so that it is known where the rows are, and that their elements are
// neighbours: updates of vectors, and loads that are no gathers.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 f32[64]=ones i32=2
// RUN: nereid run %s --target cpu --grid 1 f32[64]=ones i32=2 -O fast_paths=none

// CHECK: materialize [[ROWS:%[0-9]+]] in b{{[0-9]+}}
// CHECK: scf.for
// CHECK-NEXT: nest {{\[4x16\]}} axis 1 lanes 4 unroll 1 plain lanes 16
// CHECK-NEXT: atomic_rmw

tt.func public @rows(%a: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<4x1xi32>
  %all = arith.constant dense<true> : tensor<4x16xi1>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %ai = tt.addptr %as, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %loaded = tt.load %ai : tensor<4x!tt.ptr<f32>>
  %rows = arith.fptosi %loaded : tensor<4xf32> to tensor<4xi32>
  %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %starts = arith.muli %column, %c16 : tensor<4x1xi32>
  %a1 = tt.splat %a : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
  %first = tt.addptr %a1, %starts : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
  %firsts = tt.broadcast %first : tensor<4x1x!tt.ptr<f32>> -> tensor<4x16x!tt.ptr<f32>>
  %row = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %row : tensor<1x16xi32> -> tensor<4x16xi32>
  %places = tt.addptr %firsts, %columns : tensor<4x16x!tt.ptr<f32>>, tensor<4x16xi32>
  %ones = arith.constant dense<1.0> : tensor<4x16xf32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %places, %ones, %all : (tensor<4x16x!tt.ptr<f32>>, tensor<4x16xf32>, tensor<4x16xi1>) -> tensor<4x16xf32>
  }
  // All rows have number 1, and each iteration adds 1 to it four times.
  %sum = tt.load %places : tensor<4x16x!tt.ptr<f32>>
  %nine = arith.constant dense<9.0> : tensor<4x16xf32>
  %isNine = arith.cmpf oeq, %sum, %nine : tensor<4x16xf32>
  tt.assert %isNine, "row 1 is not 9" : tensor<4x16xi1>
  tt.return
}
