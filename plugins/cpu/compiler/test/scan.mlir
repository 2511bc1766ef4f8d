// A scan along the axis of its vectors combines the lanes of each in log2
// steps, those without a predecessor with the identity, then all of them with
// the preceding element; a reverse scan combines in the other direction. The
// next vector waits for the last lane alone. Along another axis it combines
// element by element.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s

// CHECK: nest {{\[4x64\]}} axis 1 lanes 16
// CHECK: nest {{\[4x64\]}} axis 1 lanes 16
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> <float -0.000000e+00, {{.*}}, <16 x i32> <i32 16, i32 0, i32 1, i32 2,
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> <float -0.000000e+00, {{.*}}, <16 x i32> <i32 16, i32 17, i32 0, i32 1,
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> poison, <16 x i32> <i32 15, i32 15,
// CHECK-NOT: select
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x i32> <i32 1, i32 2, i32 3,
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x i32> zeroinitializer
// CHECK-NOT: extractelement

tt.func public @scans(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %m = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pitch = arith.constant dense<64> : tensor<4x1xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %rows = arith.muli %row, %pitch : tensor<4x1xi32>
  %column = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rowsw = tt.broadcast %rows : tensor<4x1xi32> -> tensor<4x64xi32>
  %columnsw = tt.broadcast %column : tensor<1x64xi32> -> tensor<4x64xi32>
  %i = arith.addi %rowsw, %columnsw : tensor<4x64xi32>
  %sp = tt.splat %p : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %ps = tt.addptr %sp, %i : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  %x = tt.load %ps : tensor<4x64x!tt.ptr<f32>>
  %up = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %down = "tt.scan"(%up) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %across = "tt.scan"(%down) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.scan.return %sum : f32
  }) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %sq = tt.splat %q : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>>
  %qs = tt.addptr %sq, %i : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
  tt.store %qs, %across : tensor<4x64x!tt.ptr<f32>>
  tt.return
}
