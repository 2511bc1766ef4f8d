// Where no tile that is read has all dimensions of a nest, as in a product by
// broadcast, vectors are along the dimension in which both factors are contiguous,
// however few elements it has.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after llir -o - | FileCheck %s
// CHECK:      nest [16x32x8] axis 2 lanes 8
// CHECK-NEXT: reduce
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[128]=random:1 f32[256]=random:2 f32[512]=zeros
// RUN: %{run} -O fast_paths=none --save 2=%t.npy
// RUN: %{run} --expect 2=%t.npy,1e-5,1e-5

tt.func public @kernel(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %n1 = tt.expand_dims %n {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %pitch_m = arith.constant dense<8> : tensor<16x1xi32>
  %pitch_n = arith.constant dense<8> : tensor<32x1xi32>
  %m2 = arith.muli %m1, %pitch_m : tensor<16x1xi32>
  %n2 = arith.muli %n1, %pitch_n : tensor<32x1xi32>
  %m3 = tt.broadcast %m2 : tensor<16x1xi32> -> tensor<16x8xi32>
  %n3 = tt.broadcast %n2 : tensor<32x1xi32> -> tensor<32x8xi32>
  %km = tt.broadcast %k1 : tensor<1x8xi32> -> tensor<16x8xi32>
  %kn = tt.broadcast %k1 : tensor<1x8xi32> -> tensor<32x8xi32>
  %ai = arith.addi %m3, %km : tensor<16x8xi32>
  %bi = arith.addi %n3, %kn : tensor<32x8xi32>
  %a0 = tt.splat %a : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %b0 = tt.splat %b : !tt.ptr<f32> -> tensor<32x8x!tt.ptr<f32>>
  %ap = tt.addptr %a0, %ai : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %bp = tt.addptr %b0, %bi : tensor<32x8x!tt.ptr<f32>>, tensor<32x8xi32>
  %x = tt.load %ap : tensor<16x8x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<32x8x!tt.ptr<f32>>
  %x1 = tt.expand_dims %x {axis = 1 : i32} : tensor<16x8xf32> -> tensor<16x1x8xf32>
  %y1 = tt.expand_dims %y {axis = 0 : i32} : tensor<32x8xf32> -> tensor<1x32x8xf32>
  %x2 = tt.broadcast %x1 : tensor<16x1x8xf32> -> tensor<16x32x8xf32>
  %y2 = tt.broadcast %y1 : tensor<1x32x8xf32> -> tensor<16x32x8xf32>
  %xy = arith.mulf %x2, %y2 : tensor<16x32x8xf32>
  %sums = "tt.reduce"(%xy) <{axis = 2 : i32}> ({
  ^bb0(%c: f32, %d: f32):
    %sum = arith.addf %c, %d : f32
    tt.reduce.return %sum : f32
  }) : (tensor<16x32x8xf32>) -> tensor<16x32xf32>
  %n4 = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<16x1xi32>
  %m4 = arith.muli %m1, %width : tensor<16x1xi32>
  %m5 = tt.broadcast %m4 : tensor<16x1xi32> -> tensor<16x32xi32>
  %n5 = tt.broadcast %n4 : tensor<1x32xi32> -> tensor<16x32xi32>
  %oi = arith.addi %m5, %n5 : tensor<16x32xi32>
  %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %op = tt.addptr %o0, %oi : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %op, %sums : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
