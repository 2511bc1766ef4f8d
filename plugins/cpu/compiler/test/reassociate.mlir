// Without `reassociate`, sums are computed element by element, in the order of
// the index: bit for bit as a loop over the elements. Vectors are then along
// another axis, or there are none.
// RUN: nereid run %s --target cpu --grid 1 f32[1024]=random:1 f32[1024]=zeros i32=1000 --no-cache -O reassociate=false
// RUN: nereid compile %s --target cpu -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefix=ORDERED
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s --check-prefix=FREE

// ORDERED: nest [1024] axis 0 lanes 1 unroll 1
// ORDERED: materialize
// ORDERED-NEXT: reduce
// ORDERED: nest [1024] axis 0 lanes 1 unroll 1
// ORDERED-NEXT: scan
// ORDERED: nest [32x32] axis 0 lanes {{[248]|16}} unroll
// ORDERED-NEXT: reduce
// A maximum is the same in any order.
// ORDERED: nest [512] axis 0 lanes {{[248]|16}} unroll
// ORDERED-NEXT: reduce

// FREE: nest [1024] axis 0 lanes {{[248]|16}}
// FREE: materialize
// FREE-NEXT: reduce

tt.func public @sums(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant -0.0 : f32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %other = arith.constant dense<0.0> : tensor<1024xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q, %m, %other : tensor<1024x!tt.ptr<f32>>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %expected = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %at = tt.addptr %p, %k : !tt.ptr<f32>, i32
    %e = tt.load %at : !tt.ptr<f32>
    %t = arith.addf %s, %e : f32
    scf.yield %t : f32
  }
  %same = arith.cmpf oeq, %sum, %expected : f32
  tt.assert %same, "the sum is in another order" : i1

  %scan = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<1024xf32>) -> tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %scan : tensor<1024x!tt.ptr<f32>>
  %last = arith.subi %n, %c1 : i32
  %lastAt = tt.addptr %out, %last : !tt.ptr<f32>, i32
  %total = tt.load %lastAt : !tt.ptr<f32>
  %sameScan = arith.cmpf oeq, %total, %expected : f32
  tt.assert %sameScan, "the scan is in another order" : i1

  // Rows of 32: the third of them.
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %r0 = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %rows = arith.muli %r1, %pitch : tensor<32x1xi32>
  %rb = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %cb = tt.broadcast %r0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %offs = arith.addi %rb, %cb : tensor<32x32xi32>
  %p2 = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %q2 = tt.addptr %p2, %offs : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %y = tt.load %q2 : tensor<32x32x!tt.ptr<f32>>
  %rowSums = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %os2 = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %o2 = tt.addptr %os2, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %o2, %rowSums : tensor<32x!tt.ptr<f32>>
  %start = arith.constant 64 : i32
  %end = arith.constant 96 : i32
  %third = scf.for %k = %start to %end step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %at = tt.addptr %p, %k : !tt.ptr<f32>, i32
    %e = tt.load %at : !tt.ptr<f32>
    %t = arith.addf %s, %e : f32
    scf.yield %t : f32
  }
  %c2 = arith.constant 2 : i32
  %thirdAt = tt.addptr %out, %c2 : !tt.ptr<f32>, i32
  %found = tt.load %thirdAt : !tt.ptr<f32>
  %sameRow = arith.cmpf oeq, %found, %third : f32
  tt.assert %sameRow, "the sum of a row is in another order" : i1

  %j = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %p3 = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q3 = tt.addptr %p3, %j : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %z = tt.load %q3 : tensor<512x!tt.ptr<f32>>
  %max = "tt.reduce"(%z) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<512xf32>) -> f32
  tt.store %out, %max : !tt.ptr<f32>
  tt.return
}
