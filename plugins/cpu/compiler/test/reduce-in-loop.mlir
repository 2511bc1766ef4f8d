// A tile that a loop only accumulates, and that is only reduced after the loop,
// is reduced in each iteration: what the loop carries is a scalar, or a tile
// without the reduced axis. That changes the order of additions.
// RUN: nereid compile %s --target cpu -O fast_paths=all,-short-loops --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=all,-reduce-in-loop --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %s --target cpu -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefix=ORDERED
// RUN: nereid run %s --target cpu --grid 1 f32[65536]=random:1 f32[4096]=zeros i32=2500 --no-cache

// The sum is a scalar, and masked elements are skipped. The maximum starts from
// a tile that is not a constant: it is reduced before the loop.
// CHECK: nest [1024]
// CHECK-NEXT: reduce
// CHECK-NOT: materialize
// CHECK: nest [1024]
// CHECK: mask {{.*}}, else nothing
// CHECK: reduce
// CHECK-NEXT: reduce
// Rows of 512: what is carried has one element for each.
// CHECK: nest [4]
// CHECK-NEXT: materialize
// CHECK: nest [4x512]
// CHECK-NEXT: reduce
// CHECK-NOT: nest [4x512]
// A row of 8 elements is combined faster in scratch.
// CHECK: nest [64x8]
// CHECK-NEXT: materialize
// CHECK: nest [64x8]
// CHECK-NEXT: materialize
// CHECK: nest [64x8]
// CHECK-NEXT: reduce
// OFF: nest [1024]
// OFF-NEXT: materialize

// A maximum is the same in any order, a sum is not.
// ORDERED: nest [1024]
// ORDERED: materialize
// ORDERED: for
// ORDERED: nest [1024]
// ORDERED: materialize
// ORDERED: reduce

tt.func public @accumulate(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %start = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %first = tt.load %start : tensor<1024x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %s:2 = scf.for %k = %c0 to %n step %c1024 iter_args(%sum = %zero, %most = %first) -> (tensor<1024xf32>, tensor<1024xf32>) : i32 {
    %ks = tt.splat %k : i32 -> tensor<1024xi32>
    %o = arith.addi %ks, %i : tensor<1024xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<1024xi32>
    %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %q, %m, %zero : tensor<1024x!tt.ptr<f32>>
    %t = arith.addf %sum, %x : tensor<1024xf32>
    %u = arith.maxnumf %x, %most : tensor<1024xf32>
    scf.yield %t, %u : tensor<1024xf32>, tensor<1024xf32>
  }
  %total = "tt.reduce"(%s#0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %max = "tt.reduce"(%s#1) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %out, %total : !tt.ptr<f32>
  %out1 = tt.addptr %out, %c1 : !tt.ptr<f32>, i32
  tt.store %out1, %max : !tt.ptr<f32>
  %expected = scf.for %k = %c0 to %n step %c1 iter_args(%e = %max) -> (f32) : i32 {
    %at = tt.addptr %p, %k : !tt.ptr<f32>, i32
    %v = tt.load %at : !tt.ptr<f32>
    %w = arith.maxnumf %e, %v : f32
    scf.yield %w : f32
  }
  %same = arith.cmpf oeq, %max, %expected : f32
  tt.assert %same, "a larger number was left out" : i1

  %r4 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %r512 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %e4 = tt.expand_dims %r4 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %e512 = tt.expand_dims %r512 {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %pitch = arith.constant dense<4096> : tensor<4x1xi32>
  %rows = arith.muli %e4, %pitch : tensor<4x1xi32>
  %rb = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x512xi32>
  %cb = tt.broadcast %e512 : tensor<1x512xi32> -> tensor<4x512xi32>
  %offs = arith.addi %rb, %cb : tensor<4x512xi32>
  %p2 = tt.splat %p : !tt.ptr<f32> -> tensor<4x512x!tt.ptr<f32>>
  %zero2 = arith.constant dense<0.0> : tensor<4x512xf32>
  %s2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero2) -> (tensor<4x512xf32>) : i32 {
    %k512 = arith.muli %k, %c1024 : i32
    %ks = tt.splat %k512 : i32 -> tensor<4x512xi32>
    %o = arith.addi %offs, %ks : tensor<4x512xi32>
    %q = tt.addptr %p2, %o : tensor<4x512x!tt.ptr<f32>>, tensor<4x512xi32>
    %x = tt.load %q : tensor<4x512x!tt.ptr<f32>>
    %t = arith.addf %sum, %x : tensor<4x512xf32>
    scf.yield %t : tensor<4x512xf32>
  }
  %sums = "tt.reduce"(%s2) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4x512xf32>) -> tensor<4xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %o4 = tt.addptr %os, %r4 : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %o4, %sums : tensor<4x!tt.ptr<f32>>

  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r16 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e64 = tt.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %e16 = tt.expand_dims %r16 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %pitch16 = arith.constant dense<8> : tensor<64x1xi32>
  %rows16 = arith.muli %e64, %pitch16 : tensor<64x1xi32>
  %rb16 = tt.broadcast %rows16 : tensor<64x1xi32> -> tensor<64x8xi32>
  %cb16 = tt.broadcast %e16 : tensor<1x8xi32> -> tensor<64x8xi32>
  %offs16 = arith.addi %rb16, %cb16 : tensor<64x8xi32>
  %p3 = tt.splat %p : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>>
  %zero3 = arith.constant dense<0.0> : tensor<64x8xf32>
  %s3 = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero3) -> (tensor<64x8xf32>) : i32 {
    %k1024 = arith.muli %k, %c1024 : i32
    %ks = tt.splat %k1024 : i32 -> tensor<64x8xi32>
    %o = arith.addi %offs16, %ks : tensor<64x8xi32>
    %q = tt.addptr %p3, %o : tensor<64x8x!tt.ptr<f32>>, tensor<64x8xi32>
    %x = tt.load %q : tensor<64x8x!tt.ptr<f32>>
    %t = arith.addf %sum, %x : tensor<64x8xf32>
    scf.yield %t : tensor<64x8xf32>
  }
  %sums3 = "tt.reduce"(%s3) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x8xf32>) -> tensor<64xf32>
  %os3 = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %o64 = tt.addptr %os3, %r64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %o64, %sums3 : tensor<64x!tt.ptr<f32>>
  tt.return
}
