// Where a loop leaves out rows, those of other programs, the row of the next iteration
// is prefetched: hardware prefetchers would follow the one that is left out.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// CHECK: call void @llvm.prefetch
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O fast_paths=-row-prefetch --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: call void @llvm.prefetch

// Not where rows go on, and not where they are long.
// RUN: sed 's/%%start = .*/%%start = arith.muli %%row, %%c512 : i32/; s/to %%rows step %%programs/to %%rows step %%c1/' %s > %t.all.mlir
// RUN: nereid compile %t.all.mlir --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: sed 's/512/2048/g' %s > %t.long.mlir
// RUN: nereid compile %t.long.mlir --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// RUN: nereid run %s --target cpu -O fast_paths=none --grid 3 f32[7,520]=random:1 f32[7,520]=zeros i32=520 i32=7 i32=3 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[7,520]=random:1 f32[7,520]=zeros i32=520 i32=7 i32=3 --expect 1=%t.npy,1e-4,1e-4

tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %rows: i32, %programs: i32) {
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %pid = tt.get_program_id x : i32
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  scf.for %row = %pid to %rows step %programs : i32 {
    %start = arith.muli %row, %stride : i32
    %start_t = tt.splat %start : i32 -> tensor<512xi32>
    %places = arith.addi %start_t, %i : tensor<512xi32>
    %x_tile = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %x_at = tt.addptr %x_tile, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %x_at : tensor<512x!tt.ptr<f32>>
    %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32>) -> f32
    %sum_t = tt.splat %sum : f32 -> tensor<512xf32>
    %r = arith.subf %v, %sum_t : tensor<512xf32>
    %y_tile = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %y_at = tt.addptr %y_tile, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    tt.store %y_at, %r : tensor<512x!tt.ptr<f32>>
  }
  tt.return
}
