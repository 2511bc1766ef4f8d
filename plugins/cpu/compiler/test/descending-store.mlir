// A store to descending addresses is an ascending one of the reversed elements.
// RUN: nereid compile %s --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s

// CHECK-NOT: @llvm.masked.scatter
// CHECK: shufflevector <16 x float> {{.*}} <16 x i32> <i32 15, i32 14,
// CHECK: store <16 x float>
// CHECK-NOT: @llvm.masked.scatter
// CHECK: shufflevector <16 x i1> {{.*}} <16 x i32> <i32 15, i32 14,
// CHECK: call void @llvm.masked.store
// CHECK-NOT: @llvm.masked.scatter{{.*}}(<
tt.func public @flip_store(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %size = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %size : tensor<1024xi32>
  %other = arith.constant dense<7.0> : tensor<1024xf32>
  %one = arith.constant 1 : i32
  %last = arith.subi %n, %one : i32
  %ends = tt.splat %last : i32 -> tensor<1024xi32>
  %from = arith.subi %ends, %r : tensor<1024xi32>
  %px = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pf = tt.addptr %px, %from : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %po = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pt = tt.addptr %po, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %value = tt.load %pt, %mask, %other : tensor<1024x!tt.ptr<f32>>
  tt.store %pf, %value, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
