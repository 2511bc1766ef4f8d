// A tile of sums of which an iteration may leave some elements as they are, as loops of
// torch.compile do with a mask: the others are added in the loop. Here rows are
// neighbours in memory, so that whole vectors of their sums are.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// DEFINE: %{inputs} = i32[6400]=random:1:0:1000 i32[64]=zeros i32=100 i32=64
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none %{inputs} --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 %{inputs} --expect 1=%t.npy,0,0

// CHECK: nest [64] axis 0
// CHECK: scf.for
// CHECK: nest [64x32] axis 0 lanes 16 unroll 4
// CHECK: reduce %{{.*}} from 0 : i32 leaving out 0 : i32

tt.func public @sums(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32, %rows: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<64x32xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %srows = tt.splat %rows : i32 -> tensor<1x32xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %sx = tt.splat %x : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>>
  %rowAll = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %total = scf.for %first = %c0 to %n step %c32 iter_args(%sum = %zero) -> (tensor<64x32xi32>) : i32 {
    %firsts = tt.splat %first : i32 -> tensor<1x32xi32>
    %place = arith.addi %firsts, %k1 : tensor<1x32xi32>
    %isPlace = arith.cmpi slt, %place, %ns : tensor<1x32xi32>
    %mask = tt.broadcast %isPlace : tensor<1x32xi1> -> tensor<64x32xi1>
    %start = arith.muli %place, %srows : tensor<1x32xi32>
    %starts = tt.broadcast %start : tensor<1x32xi32> -> tensor<64x32xi32>
    %offset = arith.addi %rowAll, %starts : tensor<64x32xi32>
    %px = tt.addptr %sx, %offset : tensor<64x32x!tt.ptr<i32>>, tensor<64x32xi32>
    %v = tt.load %px, %mask, %zero : tensor<64x32x!tt.ptr<i32>>
    %more = arith.addi %sum, %v : tensor<64x32xi32>
    %next = arith.select %mask, %more, %sum : tensor<64x32xi1>, tensor<64x32xi32>
    scf.yield %next : tensor<64x32xi32>
  }
  %all = "tt.reduce"(%total) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<64x32xi32>) -> tensor<64xi32>
  %sy = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %py = tt.addptr %sy, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %py, %all : tensor<64x!tt.ptr<i32>>
  tt.return
}
