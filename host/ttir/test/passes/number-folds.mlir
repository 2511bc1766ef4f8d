// A number beats NaN in arith.maxnumf and minnumf, whatever is constant.
// RUN: nereid-opt -ttir-standard %s | FileCheck %s

// The infinity is the result where %x is NaN.
// CHECK-LABEL: @infinities
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 0x7F800000 : f32
// CHECK: arith.maxnumf %[[X]], %[[LOW]] fastmath<nsz> : f32
// CHECK: arith.minnumf %[[X]], %[[HIGH]] : f32
tt.func public @infinities(%x: f32, %p: !tt.ptr<f32>) {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %0 = arith.maxnumf %x, %low fastmath<nsz> : f32
  %1 = arith.minnumf %high, %x : f32
  %2 = arith.addf %0, %1 : f32
  tt.store %p, %2 : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @nan
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: tt.store %{{.*}}, %[[X]]
tt.func public @nan(%x: tensor<4xf32>, %p: tensor<4x!tt.ptr<f32>>) {
  %nan = arith.constant dense<0x7FC00000> : tensor<4xf32>
  %0 = arith.maxnumf %nan, %x : tensor<4xf32>
  %1 = arith.minnumf %0, %nan : tensor<4xf32>
  tt.store %p, %1 : tensor<4x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @constants
// CHECK-DAG: arith.constant -1.000000e+02 : f32
// CHECK-DAG: arith.constant dense<7.000000e+00> : tensor<4xf32>
// CHECK-NOT: 0x7FC00000
// CHECK-NOT: maxnumf
// CHECK-NOT: minnumf
// CHECK: tt.return
tt.func public @constants(%p: !tt.ptr<f32>, %q: tensor<4x!tt.ptr<f32>>) {
  %nan = arith.constant 0x7FC00000 : f32
  %some = arith.constant -100.0 : f32
  %0 = arith.maxnumf %nan, %some : f32
  tt.store %p, %0 : !tt.ptr<f32>
  %seven = arith.constant dense<7.0> : tensor<4xf32>
  %nans = arith.constant dense<0x7FC00000> : tensor<4xf32>
  %1 = arith.minnumf %seven, %nans : tensor<4xf32>
  tt.store %q, %1 : tensor<4x!tt.ptr<f32>>
  tt.return
}

// A combine region and a call that is inlined.
// CHECK-LABEL: @combine
// CHECK: arith.constant 5.000000e+00 : f32
// CHECK: arith.maxnumf
// CHECK: tt.reduce.return
tt.func public @combine(%x: tensor<4xf32>, %p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %nan = arith.constant 0x7FC00000 : f32
  %0 = tt.call @atMost(%nan) : (f32) -> f32
  tt.store %q, %0 : !tt.ptr<f32>
  %1 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %2 = arith.maxnumf %a, %b : f32
    tt.reduce.return %2 : f32
  }) : (tensor<4xf32>) -> f32
  tt.store %p, %1 : !tt.ptr<f32>
  tt.return
}
tt.func private @atMost(%x: f32) -> f32 attributes {noinline = false} {
  %five = arith.constant 5.0 : f32
  %0 = arith.minnumf %x, %five : f32
  tt.return %0 : f32
}
