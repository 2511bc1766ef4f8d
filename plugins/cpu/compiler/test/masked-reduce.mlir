// Masked-off elements of a reduction are `other`: if there are any,
// accumulators start from that, else from the identity. So the maximum of no
// elements is -inf and not NaN, and their sum 0.0 and not -0.0; if no element
// is masked off, `other` does not affect the result. The kernel compares the
// bits of a sum, a maximum and a minimum (of 2.0 where masked off).
//
// No element, whole vectors of them.
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=ones i32=0 i32=0 i32=-8388608 i32=1073741824 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:nan i32=960 i32=2143289344 i32=-8388608 i32=1073741824 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:-0.0 i32=960 i32=0 i32=-2147483648 i32=-2147483648 --no-cache
// All of them; of the minimum, half.
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:-0.0 i32=1024 i32=-2147483648 i32=-2147483648 i32=-2147483648 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:nan i32=2048 i32=2143289344 i32=2143289344 i32=2143289344 --no-cache
// The same on the slow paths.
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=ones i32=0 i32=0 i32=-8388608 i32=1073741824 --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:nan i32=960 i32=2143289344 i32=-8388608 i32=1073741824 --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=full:-0.0 i32=1024 i32=-2147483648 i32=-2147483648 i32=-2147483648 --no-cache -O fast_paths=none
//
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// CHECK: tile program @masked
// CHECK: reduce {{.*}} from 0x7FC00000 : f32 leaving out 2.000000e+00 : f32
// CHECK: reduce {{.*}} from -0.000000e+00 : f32 leaving out 0.000000e+00 : f32
// CHECK: reduce {{.*}} from 0x7FC00000 : f32 leaving out 0xFF800000 : f32
// Nothing can be left out of a sum of ones; the square of the second argument
// has no identity.
// CHECK: reduce {{.*}} from 0 : i32{{$}}
// CHECK: reduce {{.*}} from the first elements{{$}}

tt.func public @masked(%x: !tt.ptr<f32>, %n: i32, %sumBits: i32, %maxBits: i32, %minBits: i32) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  %least = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  // In a nest of its own, too.
  %k = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %n3 = tt.splat %n : i32 -> tensor<2048xi32>
  %m3 = arith.cmpi slt, %k, %n3 : tensor<2048xi32>
  %twos = arith.constant dense<2.0> : tensor<2048xf32>
  %xs3 = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p3 = tt.addptr %xs3, %k : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %forMin = tt.load %p3, %m3, %twos : tensor<2048x!tt.ptr<f32>>
  %min = "tt.reduce"(%forMin) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.minnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<2048xf32>) -> f32
  %forSum = tt.load %p, %m, %zeros : tensor<1024x!tt.ptr<f32>>
  %sum = "tt.reduce"(%forSum) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %forMax = tt.load %p, %m, %least : tensor<1024x!tt.ptr<f32>>
  %max = "tt.reduce"(%forMax) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  %same = arith.bitcast %sum : f32 to i32
  %sumIsRight = arith.cmpi eq, %same, %sumBits : i32
  tt.assert %sumIsRight, "the sum is wrong" : i1
  %largest = arith.bitcast %max : f32 to i32
  %maxIsRight = arith.cmpi eq, %largest, %maxBits : i32
  tt.assert %maxIsRight, "the maximum is wrong" : i1
  %smallest = arith.bitcast %min : f32 to i32
  %minIsRight = arith.cmpi eq, %smallest, %minBits : i32
  tt.assert %minIsRight, "the minimum is wrong" : i1

  // A nest of its own, where every element is visited.
  %j = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %n2 = tt.splat %n : i32 -> tensor<512xi32>
  %m2 = arith.cmpi slt, %j, %n2 : tensor<512xi32>
  %ones = arith.constant dense<1> : tensor<512xi32>
  %bits = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
  %bs = tt.splat %bits : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %q = tt.addptr %bs, %j : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %v = tt.load %q, %m2, %ones : tensor<512x!tt.ptr<i32>>
  %count = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<512xi32>) -> i32
  %last = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %b, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<512xi32>) -> i32
  %some = arith.addi %count, %last : i32
  tt.store %x, %sum : !tt.ptr<f32>
  tt.store %bits, %some : !tt.ptr<i32>
  tt.return
}
