// Atomic updates of rows of 49, of which the numbers are in memory. In a piece
// the row is the same, also what was made of its number before the update, and
// the addresses are neighbours: without a lock they are vectors. Elsewhere they
// are updated one after the other: where a mask ends, and with a lock.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: sed s/49/9/ %s | nereid compile - --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix SHORT
// DEFINE: %{kernel} = %s
// DEFINE: %{count} = 1500
// DEFINE: %{run} = nereid run %{kernel} --target cpu --grid 3 -O threads=1 i32[64]=random:1:-3:30 i32[1536]=random:2:-9:9 i32[2048]=range i32=%{count}
// DEFINE: %{check} = %{run} -O fast_paths=none --save 2=%t.npy && %{run} --expect 2=%t.npy,0,0 && %{run} -O fast_paths=all,-exclusive-launches --expect 2=%t.npy,0,0 && %{run} -O fast_paths=all,-pieces --expect 2=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{count} = 1536
// RUN: %{check}
// REDEFINE: %{count} = 515
// RUN: %{check}
// REDEFINE: %{count} = 0
// RUN: %{check}
// REDEFINE: %{count} = 1500
// RUN: sed s/49/33/ %s > %t.33.mlir
// REDEFINE: %{kernel} = %t.33.mlir
// RUN: %{check}
// RUN: sed s/add,/umax,/ %s > %t.umax.mlir
// REDEFINE: %{kernel} = %t.umax.mlir
// RUN: %{check}

// Elements that memory chooses: the number of a row is unknown where it was not
// loaded.
// RUN: sed -e '/^  %%mask = /d' -e 's/^ *.. if chosen:/  /' %s > %t.chosen.mlir
// RUN: nereid compile %t.chosen.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix CHOSEN
// REDEFINE: %{kernel} = %t.chosen.mlir
// RUN: %{check}
// CHOSEN-NOT: in pieces

// CHECK:      nest [512] axis 0 lanes 1 {{.*}} plain lanes 16
// CHECK-NEXT: mask %{{.*}} below a bound
// CHECK-DAG:  pieces of %{{.*}}, contiguous, ends by masks
// CHECK-DAG:  pieces of %{{.*}}, constant, ends by masks
// CHECK-NEXT: in pieces %{{.*}}, constant
// CHECK-NEXT: atomic_rmw

// SHORT: nest [512] axis 0 lanes 1 unroll 1 runs of 16{{$}}
// SHORT-NEXT: atomic_rmw
tt.func public @rows(%numbers: !tt.ptr<i32>, %values: !tt.ptr<i32>, %table: !tt.ptr<i32>, %n: i32) {
  %c512 = arith.constant 512 : i32
  %width = arith.constant dense<49> : tensor<512xi32>
  %zero = arith.constant dense<0> : tensor<512xi32>
  %rows = arith.constant dense<30> : tensor<512xi32>
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c512 : i32
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %own = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %index = arith.addi %firsts, %own : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %index, %ns : tensor<512xi32>
  // if chosen: %below = arith.cmpi slt, %index, %ns : tensor<512xi32>
  // if chosen: %choicesAt = tt.splat %values : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  // if chosen: %choiceAt = tt.addptr %choicesAt, %index : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  // if chosen: %choice = tt.load %choiceAt : tensor<512x!tt.ptr<i32>>
  // if chosen: %isChosen = arith.cmpi sgt, %choice, %zero : tensor<512xi32>
  // if chosen: %mask = arith.andi %below, %isChosen : tensor<512xi1>
  %row = arith.divsi %index, %width : tensor<512xi32>
  %column = arith.remsi %index, %width : tensor<512xi32>
  %numbersAt = tt.splat %numbers : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %numberAt = tt.addptr %numbersAt, %row : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %number = tt.load %numberAt, %mask : tensor<512x!tt.ptr<i32>>
  // Negative numbers count from the end.
  %fromEnd = arith.addi %number, %rows : tensor<512xi32>
  %isNegative = arith.cmpi slt, %number, %zero : tensor<512xi32>
  %name = arith.select %isNegative, %fromEnd, %number : tensor<512xi1>, tensor<512xi32>
  %valuesAt = tt.splat %values : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %valueAt = tt.addptr %valuesAt, %index : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %value = tt.load %valueAt, %mask : tensor<512x!tt.ptr<i32>>
  %tableAt = tt.splat %table : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %start = arith.muli %name, %width : tensor<512xi32>
  %element = arith.addi %start, %column : tensor<512xi32>
  %to = tt.addptr %tableAt, %element : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %old = tt.atomic_rmw add, relaxed, gpu, %to, %value, %mask : (tensor<512x!tt.ptr<i32>>, tensor<512xi32>, tensor<512xi1>) -> tensor<512xi32>
  tt.return
}
