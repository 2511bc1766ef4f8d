// Reductions of rows of 49 that are 64 apart: what a piece has beyond whole
// vectors is a vector with a mask, of whose other lanes the sums stay as they
// are. Several sums hide the latency of additions, where a piece has as many
// vectors.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: sed 's/<49>/<196>/' %s | nereid compile - --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix LONG
// DEFINE: %{kernel} = %s
// DEFINE: %{count} = 1500
// DEFINE: %{run} = nereid run %{kernel} --target cpu --grid 3 i32[8192]=random:1:-9:9 i32[6]=zeros i32=%{count}
// DEFINE: %{check} = %{run} -O fast_paths=none --save 1=%t.npy && %{run} --expect 1=%t.npy,0,0 && %{run} -O fast_paths=all,-pieces --expect 1=%t.npy,0,0 && %{run} -O fast_paths=all,-ascending-index --expect 1=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{count} = 1536
// RUN: %{check}
// REDEFINE: %{count} = 515
// RUN: %{check}
// REDEFINE: %{count} = 0
// RUN: %{check}
// REDEFINE: %{count} = 1500
// RUN: sed 's/<49>/<17>/' %s > %t.17.mlir
// REDEFINE: %{kernel} = %t.17.mlir
// RUN: %{check}
// RUN: sed 's/<49>/<63>/' %s > %t.63.mlir
// REDEFINE: %{kernel} = %t.63.mlir
// RUN: %{check}

// CHECK:     nest [512] axis 0 lanes 16 unroll 2
// CHECK-DAG: pieces of %{{.*}}, contiguous, ends by masks
// CHECK-DAG: pieces of %{{.*}}, constant, ends by masks
// CHECK:     reduce
// LONG:      nest [512] axis 0 lanes 16 unroll 4
// LONG-DAG:  pieces of %{{.*}}, contiguous, ends by masks
tt.func public @rows(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
  %c512 = arith.constant 512 : i32
  %width = arith.constant dense<49> : tensor<512xi32>
  %pitch = arith.constant dense<64> : tensor<512xi32>
  %least = arith.constant dense<-99> : tensor<512xi32>
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c512 : i32
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %own = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %index = arith.addi %firsts, %own : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %index, %ns : tensor<512xi32>
  %row = arith.divsi %index, %width : tensor<512xi32>
  %column = arith.remsi %index, %width : tensor<512xi32>
  %start = arith.muli %row, %pitch : tensor<512xi32>
  %element = arith.addi %start, %column : tensor<512xi32>
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %from = tt.addptr %all, %element : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %x = tt.load %from, %mask, %least : tensor<512x!tt.ptr<i32>>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<512xi32>) -> i32
  %most:2 = "tt.reduce"(%x, %index) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %i: i32, %b: i32, %j: i32):
    %larger = arith.cmpi sgt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %before = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %same, %before : i1
    %isFirst = arith.ori %larger, %tie : i1
    %c = arith.select %isFirst, %a, %b : i32
    %k = arith.select %isFirst, %i, %j : i32
    tt.reduce.return %c, %k : i32, i32
  }) : (tensor<512xi32>, tensor<512xi32>) -> (i32, i32)
  %two = arith.constant 2 : i32
  %to = arith.muli %program, %two : i32
  %sumAt = tt.addptr %out, %to : !tt.ptr<i32>, i32
  tt.store %sumAt, %sum : !tt.ptr<i32>
  %one = arith.constant 1 : i32
  %placeAt = tt.addptr %sumAt, %one : !tt.ptr<i32>, i32
  tt.store %placeAt, %most#1 : !tt.ptr<i32>
  tt.return
}
