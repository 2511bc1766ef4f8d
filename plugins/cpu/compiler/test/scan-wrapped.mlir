// A scan of what is loaded by offsets that may wrap.
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[64]=range f32[64]=zeros i32=3 i32=50 --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[64]=range f32[64]=zeros i32=3 i32=50 --expect 1=%t.npy,0,0
tt.func public @wrapped(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %start: i32, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %first = tt.splat %start : i32 -> tensor<64xi32>
  %size = tt.splat %n : i32 -> tensor<64xi32>
  %sum = arith.addi %i, %first : tensor<64xi32>
  %from = arith.remsi %sum, %size : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %px = tt.addptr %xs, %from : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %px : tensor<64x!tt.ptr<f32>>
  %total = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %py, %total : tensor<64x!tt.ptr<f32>>
  tt.return
}
