// A loop in which all masks are true has no masked access, also where a
// condition is that of a row.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s

// CHECK: nest [8x64] axis 1
// CHECK-NEXT: mask {{.*}} uniform
// CHECK: full:
// CHECK-NOT: llvm.masked
// CHECK: rest:
// CHECK: call void @llvm.masked.store

tt.func public @rows(%p: !tt.ptr<f32>, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<8x64xf32>
  %width = arith.constant dense<64> : tensor<8x1xi32>
  %m = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %row, %width : tensor<8x1xi32>
  %starts2 = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x64xi32>
  %columns2 = tt.broadcast %column : tensor<1x64xi32> -> tensor<8x64xi32>
  %offsets = arith.addi %starts2, %columns2 : tensor<8x64xi32>
  %ns = tt.splat %n : i32 -> tensor<8x1xi32>
  %holds = arith.cmpi slt, %row, %ns : tensor<8x1xi32>
  %ends = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside = arith.cmpi slt, %column, %ends : tensor<1x64xi32>
  %holds2 = tt.broadcast %holds : tensor<8x1xi1> -> tensor<8x64xi1>
  %inside2 = tt.broadcast %inside : tensor<1x64xi1> -> tensor<8x64xi1>
  %mask = arith.andi %holds2, %inside2 : tensor<8x64xi1>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
  %qs = tt.addptr %ps, %offsets : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
  tt.store %qs, %one, %mask : tensor<8x64x!tt.ptr<f32>>
  tt.return
}
