// Loads that precede an atomic update are in its loop unless their addresses
// overlap the updated ones, if it orders nothing else (relaxed) and its results
// are not used. The rows that it updates are known by their numbers in memory.
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: sed s/relaxed/release/ %s > %t.ordered.mlir
// RUN: nereid compile %t.ordered.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix NONE
// RUN: sed 's/^ *.. if used:/  /' %s > %t.used.mlir
// RUN: nereid compile %t.used.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefix NONE
// DEFINE: %{at} = i32=1024
// DEFINE: %{kernel} = %s
// DEFINE: %{run} = nereid run %{kernel} --target cpu --grid 3 -O threads=1 i32[4096]=random:1:0:30 %{at}
// DEFINE: %{check} = %{run} -O fast_paths=none --save 0=%t.npy && %{run} --expect 0=%t.npy && %{run} -O fast_paths=all,-overlap-guard --expect 0=%t.npy && %{run} -O fast_paths=all,-split-index --expect 0=%t.npy
// Apart; the values themselves; behind and ahead of them; the numbers.
// RUN: %{check}
// REDEFINE: %{at} = i32=0
// RUN: %{check}
// REDEFINE: %{at} = i32=3
// RUN: %{check}
// REDEFINE: %{at} = i32=-40
// RUN: %{check}
// REDEFINE: %{at} = i32=-512
// RUN: %{check}
// REDEFINE: %{kernel} = %t.used.mlir
// RUN: %{check}

// CHECK: where no index overflows
// CHECK:      nest [4x1]
// CHECK-NEXT: materialize %{{.*}} in
// CHECK-NEXT: copy %[[VALUES:[0-9]+]] to {{.*}} if %{{.*}} overlaps
// CHECK-NEXT: nest [4x64]
// CHECK-NEXT: atomic_rmw %{{.*}} %[[VALUES]]
// CHECK: elsewhere

// NONE-NOT: overlaps
tt.func public @rows(%p: !tt.ptr<i32>, %at: i32) {
  %c256 = arith.constant 256 : i32
  %c64 = arith.constant dense<64> : tensor<256xi32>
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c256 : i32
  %firsts = tt.splat %first : i32 -> tensor<256xi32>
  %own = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %index = arith.addi %firsts, %own : tensor<256xi32>
  %row = arith.divsi %index, %c64 : tensor<256xi32>
  %column = arith.remsi %index, %c64 : tensor<256xi32>
  %c512 = arith.constant 512 : i32
  %numbers = tt.addptr %p, %c512 : !tt.ptr<i32>, i32
  %numbersAt = tt.splat %numbers : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %numberAt = tt.addptr %numbersAt, %row : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %number = tt.load %numberAt : tensor<256x!tt.ptr<i32>>
  %values = tt.addptr %numbers, %c512 : !tt.ptr<i32>, i32
  %valuesAt = tt.splat %values : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %valueAt = tt.addptr %valuesAt, %index : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %value = tt.load %valueAt : tensor<256x!tt.ptr<i32>>
  %table = tt.addptr %values, %at : !tt.ptr<i32>, i32
  %tableAt = tt.splat %table : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %start = arith.muli %number, %c64 : tensor<256xi32>
  %element = arith.addi %start, %column : tensor<256xi32>
  %to = tt.addptr %tableAt, %element : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %old = tt.atomic_rmw add, relaxed, gpu, %to, %value : (tensor<256x!tt.ptr<i32>>, tensor<256xi32>) -> tensor<256xi32>
  // if used: tt.store %valueAt, %old : tensor<256x!tt.ptr<i32>>
  tt.return
}
