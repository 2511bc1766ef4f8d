// Maxima and minima as torch.compile writes them: a comparison, a test for NaN
// and a selection, with a mask for what is beyond the rows. They are reduced in
// their loops as operations for it are. Without the test, which is no part of
// the second minimum, what a NaN becomes depends on the order.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// DEFINE: %{inputs} = f32[6400]=random:1 f32[192]=zeros i32=100
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none %{inputs} --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 %{inputs} --expect 1=%t.npy,0,0

// CHECK: scf.for
// CHECK: nest [64x32] axis 0 lanes 16
// CHECK-NEXT: reduce %{{.*}} from 0xFF800000 : f32 leaving out 0xFF800000 : f32
// CHECK-NEXT: reduce %{{.*}} from 0x7F800000 : f32 leaving out 0x7F800000 : f32
// CHECK-NEXT: materialize
// CHECK: nest [64x32]
// CHECK-NEXT: reduce

tt.func public @extremes(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %low = arith.constant dense<0xFF800000> : tensor<64x32xf32>
  %high = arith.constant dense<0x7F800000> : tensor<64x32xf32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %c64 = arith.constant dense<64> : tensor<1x32xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x32xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %rowAll = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %ends:3 = scf.for %first = %c0 to %n step %c32 iter_args(%most = %low, %least = %high, %other = %high) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) : i32 {
    %firsts = tt.splat %first : i32 -> tensor<1x32xi32>
    %place = arith.addi %firsts, %k1 : tensor<1x32xi32>
    %isPlace = arith.cmpi slt, %place, %ns : tensor<1x32xi32>
    %mask = tt.broadcast %isPlace : tensor<1x32xi1> -> tensor<64x32xi1>
    %start = arith.muli %place, %c64 : tensor<1x32xi32>
    %starts = tt.broadcast %start : tensor<1x32xi32> -> tensor<64x32xi32>
    %offset = arith.addi %rowAll, %starts : tensor<64x32xi32>
    %px = tt.addptr %sx, %offset : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %v = tt.load %px, %mask, %zero : tensor<64x32x!tt.ptr<f32>>
    %isMore = arith.cmpf ogt, %most, %v : tensor<64x32xf32>
    %isMoreNaN = arith.cmpf une, %most, %most : tensor<64x32xf32>
    %keepMore = arith.ori %isMore, %isMoreNaN : tensor<64x32xi1>
    %more = arith.select %keepMore, %most, %v : tensor<64x32xi1>, tensor<64x32xf32>
    %nextMost = arith.select %mask, %more, %most : tensor<64x32xi1>, tensor<64x32xf32>
    %isLess = arith.cmpf olt, %least, %v : tensor<64x32xf32>
    %isLessNaN = arith.cmpf une, %least, %least : tensor<64x32xf32>
    %keepLess = arith.ori %isLessNaN, %isLess : tensor<64x32xi1>
    %less = arith.select %keepLess, %least, %v : tensor<64x32xi1>, tensor<64x32xf32>
    %nextLeast = arith.select %mask, %less, %least : tensor<64x32xi1>, tensor<64x32xf32>
    %isOther = arith.cmpf olt, %other, %v : tensor<64x32xf32>
    %lessOther = arith.select %isOther, %other, %v : tensor<64x32xi1>, tensor<64x32xf32>
    scf.yield %nextMost, %nextLeast, %lessOther : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  }
  %max = "tt.reduce"(%ends#0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %isGreater = arith.cmpf ogt, %a, %b : f32
    %isNaN = arith.cmpf une, %a, %a : f32
    %keep = arith.ori %isGreater, %isNaN : i1
    %s = arith.select %keep, %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %min = "tt.reduce"(%ends#1) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %isLess = arith.cmpf olt, %a, %b : f32
    %isNaN = arith.cmpf une, %a, %a : f32
    %keep = arith.ori %isLess, %isNaN : i1
    %s = arith.select %keep, %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %unsure = "tt.reduce"(%ends#2) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %isLess = arith.cmpf olt, %a, %b : f32
    %s = arith.select %isLess, %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %c64s = arith.constant dense<64> : tensor<64xi32>
  %sy = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %py = tt.addptr %sy, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %py1 = tt.addptr %py, %c64s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %py2 = tt.addptr %py1, %c64s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %py, %max : tensor<64x!tt.ptr<f32>>
  tt.store %py1, %min : tensor<64x!tt.ptr<f32>>
  tt.store %py2, %unsure : tensor<64x!tt.ptr<f32>>
  tt.return
}
