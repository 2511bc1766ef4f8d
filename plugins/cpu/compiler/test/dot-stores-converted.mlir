// The last product of a loop stores what is computed from its sums alone, by a
// few operations of arithmetic. The last arguments: how far rows of c are apart,
// and the rounds of the loop.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=48 i32=2 --save 2=%t.apart.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=48 i32=2 --expect 2=%t.apart.npy,1e-3,1e-3
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=30 i32=2 --save 2=%t.close.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=30 i32=2 --expect 2=%t.close.npy,1e-3,1e-3
// RUN: nereid run %s --target cpu --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=48 i32=0 --save 2=%t.none.npy
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[2048]=random:1 f32[2048]=random:2 f16[2048]=full:7 i32=48 i32=0 --expect 2=%t.none.npy

// CHECK: dot {{.*}} from zero stores
// CHECK: define internal void @dot.{{[^(]*}}.stores.0

tt.func public @kernel(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f16>, %pitch: i32, %rounds: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf32>
  %most = arith.constant dense<4.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c32s = arith.constant dense<32> : tensor<32x1xi32>
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %line = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %lines = arith.muli %line, %c32s : tensor<32x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %linesC = arith.muli %line, %pitches : tensor<32x1xi32>
  %starts = tt.broadcast %lines : tensor<32x1xi32> -> tensor<32x32xi32>
  %startsC = tt.broadcast %linesC : tensor<32x1xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<32x32xi32>
  %offsetsC = arith.addi %startsC, %columns : tensor<32x32xi32>
  %sums = scf.for %i = %c0 to %rounds step %c1 iter_args(%total = %zero) -> (tensor<32x32xf32>) : i32 {
    %step = arith.muli %i, %c1024 : i32
    %qa = tt.addptr %pa, %step : !tt.ptr<f32>, i32
    %qb = tt.addptr %pb, %step : !tt.ptr<f32>, i32
    %sa = tt.splat %qa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %sb = tt.splat %qb : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %as = tt.addptr %sa, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bs = tt.addptr %sb, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %as : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bs : tensor<32x32x!tt.ptr<f32>>
    %next = tt.dot %x, %y, %total, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %scaled = arith.mulf %sums, %half : tensor<32x32xf32>
  %isNegative = arith.cmpf olt, %sums, %zero : tensor<32x32xf32>
  %leaky = arith.select %isNegative, %scaled, %sums : tensor<32x32xi1>, tensor<32x32xf32>
  %bounded = arith.minimumf %leaky, %most : tensor<32x32xf32>
  %result = arith.truncf %bounded : tensor<32x32xf32> to tensor<32x32xf16>
  %sc = tt.splat %pc : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %cs = tt.addptr %sc, %offsetsC : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
  tt.store %cs, %result : tensor<32x32x!tt.ptr<f16>>
  tt.return
}
