// Lanes with one address may differ in what they are where the mask, here the
// same for all of them, is false.
// DEFINE: %{on} = 0
// DEFINE: %{inputs} = f32[16]=random:1 f32[32]=random:2 f32[32]=zeros i32=%{on}
// DEFINE: %{check} = nereid run %s --target cpu --grid 1 --no-cache -O fast_paths=none %{inputs} --save 2=%t.npy && nereid run %s --target cpu --grid 1 --no-cache %{inputs} --expect 2=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{on} = 1
// RUN: %{check}
tt.func public @pairs(%in: !tt.ptr<f32>, %others: !tt.ptr<f32>, %out: !tt.ptr<f32>, %on: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant dense<2> : tensor<32xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %isOn = arith.cmpi ne, %on, %zero : i32
  %mask = tt.splat %isOn : i1 -> tensor<32xi1>
  %from2 = tt.splat %others : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %theirs = tt.addptr %from2, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %other = tt.load %theirs : tensor<32x!tt.ptr<f32>>
  %pair = arith.divsi %i, %two : tensor<32xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %from = tt.addptr %ins, %pair : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %from, %mask, %other : tensor<32x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %to = tt.addptr %outs, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %to, %x : tensor<32x!tt.ptr<f32>>
  tt.return
}
