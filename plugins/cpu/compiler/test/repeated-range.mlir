// A range that begins below zero, of which each number is there twice, in an
// address: as one that begins at zero, from eight elements before.
// RUN: split-file %s %t
// DEFINE: %{inputs} = f32[16]=random:1 f32[32]=zeros
// RUN: nereid run %t/zero.mlir --target cpu --grid 1 --no-cache %{inputs} --save 1=%t.npy
// RUN: nereid run %t/below.mlir --target cpu --grid 1 --no-cache %{inputs} --expect 1=%t.npy,0,0
// RUN: nereid run %t/below.mlir --target cpu --grid 1 --no-cache -O fast_paths=none %{inputs} --expect 1=%t.npy,0,0

//--- zero.mlir
tt.func public @pairs(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %two = arith.constant dense<2> : tensor<32xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pair = arith.divsi %i, %two : tensor<32xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %from = tt.addptr %ins, %pair : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %to = tt.addptr %outs, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %to, %x : tensor<32x!tt.ptr<f32>>
  tt.return
}

//--- below.mlir
tt.func public @pairs(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %eight = arith.constant 8 : i32
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %numbers = tt.make_range {end = 8 : i32, start = -8 : i32} : tensor<16xi32>
  %column = tt.expand_dims %numbers {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %both = tt.broadcast %column : tensor<16x1xi32> -> tensor<16x2xi32>
  %pair = tt.reshape %both : tensor<16x2xi32> -> tensor<32xi32>
  %middle = tt.addptr %in, %eight : !tt.ptr<f32>, i32
  %ins = tt.splat %middle : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %from = tt.addptr %ins, %pair : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %from : tensor<32x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %to = tt.addptr %outs, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %to, %x : tensor<32x!tt.ptr<f32>>
  tt.return
}
