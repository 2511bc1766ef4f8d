// The mask of rows that are repeated depends on the upper bits of the reduced
// axis, so that it does not hold for all rows of a strip where it holds for one.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 f32[1024]=range f32[64]=zeros i32=100
// RUN: %{run} -O fast_paths=none --save 1=%t.npy
// RUN: %{run} --expect 1=%t.npy,0,0

tt.func public @repeat_rows(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %w = arith.constant dense<64> : tensor<16x1xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r2 = arith.muli %r1, %w : tensor<16x1xi32>
  %r3 = tt.broadcast %r2 : tensor<16x1xi32> -> tensor<16x64xi32>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tt.broadcast %c1 : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.addi %r3, %c2 : tensor<16x64xi32>
  %ns = tt.splat %n : i32 -> tensor<16x64xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<16x64xi32>
  %z = arith.constant dense<0.0> : tensor<16x64xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %x = tt.load %q, %m, %z : tensor<16x64x!tt.ptr<f32>>
  %x3 = tt.expand_dims %x {axis = 1 : i32} : tensor<16x64xf32> -> tensor<16x1x64xf32>
  %x4 = tt.broadcast %x3 : tensor<16x1x64xf32> -> tensor<16x4x64xf32>
  %y = tt.reshape %x4 : tensor<16x4x64xf32> -> tensor<64x64xf32>
  %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tt.reduce.return %d : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oq = tt.addptr %os, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oq, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}
