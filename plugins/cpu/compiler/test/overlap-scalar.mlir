// A sum that is stored before the row that it is computed from is read again: the
// row is copied only if the place of the sum, or a row of results, is in it. The
// addresses that come after the store are compared before it.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// CHECK:      reduce
// CHECK:      copy %[[X:[0-9]+]] to b{{.*}} if %[[P:.*]] overlaps %{{[0-9]+}} or %[[P]] {{overlaps|is below}}
// CHECK-NEXT: nest [1]
// CHECK-NEXT: store
// CHECK:      nest [256]
// CHECK-NOT:  defer
// RUN: nereid compile %s --target cpu -O fast_paths=all,-overlap-guard --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// OFF: materialize

// Sums after all rows, sums in the rows that are read, and results one element
// behind these.
// DEFINE: %{run} = nereid run %s --target cpu --grid 3 f32[2048]=random:1
// RUN: %{run} i32=2000 i32=1024 -O fast_paths=none --save 0=%t.npy
// RUN: %{run} i32=2000 i32=1024 --expect 0=%t.npy,1e-5,1e-5
// RUN: %{run} i32=255 i32=1024 -O fast_paths=none -O threads=1 --save 0=%t.npy
// RUN: %{run} i32=255 i32=1024 -O threads=1 --expect 0=%t.npy,1e-5,1e-5
// RUN: %{run} i32=-1 i32=1 -O fast_paths=none -O threads=1 --save 0=%t.npy
// RUN: %{run} i32=-1 i32=1 -O threads=1 --expect 0=%t.npy,1e-5,1e-5

tt.func public @kernel(%p: !tt.ptr<f32>, %sums: i32, %results: i32) {
  %c1 = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %pid = tt.get_program_id x : i32
  %number = arith.addi %pid, %c1 : i32
  %start = arith.muli %number, %c256 : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %from = tt.addptr %rows, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %from : tensor<256x!tt.ptr<f32>>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  %place = arith.addi %number, %sums : i32
  %kept = tt.addptr %p, %place : !tt.ptr<f32>, i32
  tt.store %kept, %sum : !tt.ptr<f32>
  %first = arith.addi %start, %results : i32
  %out = tt.addptr %p, %first : !tt.ptr<f32>, i32
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %to = tt.addptr %outs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %all = tt.splat %sum : f32 -> tensor<256xf32>
  %y = arith.subf %x, %all : tensor<256xf32>
  tt.store %to, %y : tensor<256x!tt.ptr<f32>>
  tt.return
}
