// An element that neighbouring lanes read (both elements of a pair) is loaded
// once and repeated, with a mask of as many lanes as are loaded; which half of
// a pair a lane is in is a constant.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s

// CHECK: nest {{\[128\]}} axis 0 lanes 16
// CHECK-NOT: gather
// CHECK-DAG: load <8 x float>
// CHECK-DAG: call <8 x float> @llvm.masked.load.v8f32.p0(
// CHECK-DAG: shufflevector <8 x float> {{.*}} <16 x i32> <i32 0, i32 0, i32 1, i32 1,
// CHECK-DAG: select <16 x i1> <i1 true, i1 false, i1 true, i1 false,
// CHECK-NOT: shufflevector <16 x i1>

tt.func public @pairs(%px: !tt.ptr<f32>, %py: !tt.ptr<f32>, %pz: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %limit = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<64xi32>
  %sx = tt.splat %px : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xs = tt.addptr %sx, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %xs, %mask : tensor<64x!tt.ptr<f32>>
  %sy = tt.splat %py : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ys = tt.addptr %sy, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %y = tt.load %ys : tensor<64x!tt.ptr<f32>>
  %both = tt.join %x, %y : tensor<64xf32> -> tensor<64x2xf32>
  %z = tt.reshape %both : tensor<64x2xf32> -> tensor<128xf32>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %sz = tt.splat %pz : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %zs = tt.addptr %sz, %j : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %zs, %z : tensor<128x!tt.ptr<f32>>
  tt.return
}
