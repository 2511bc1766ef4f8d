// Masks that are true for every element, whatever the arguments are, are
// dropped, and kept where one element could be outside.
// RUN: nereid-expand %s | FileCheck %s

// CHECK-LABEL: tt.func @whole_range
// CHECK: tt.load %{{[0-9]+}} : tensor<64x!tt.ptr<f32>>
// CHECK: tt.store %{{[0-9]+}}, %{{[0-9]+}} : tensor<64x!tt.ptr<f32>>
tt.func @whole_range(%p: !tt.ptr<f32>) {
  %length = arith.constant dense<64> : tensor<64xi32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m = arith.cmpi slt, %i, %length : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %q, %m, %none : tensor<64x!tt.ptr<f32>>
  tt.store %q, %x, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}

// One of two conditions: the other remains.
// CHECK-LABEL: tt.func @columns
// CHECK: %[[ROWS:.*]] = tt.broadcast %{{.*}} : tensor<4x1xi1> -> tensor<4x8xi1>
// CHECK: tt.load %{{[a-z0-9]+}}, %[[ROWS]] : tensor<4x8x!tt.ptr<f32>>
tt.func @columns(%p: tensor<4x8x!tt.ptr<f32>>, %n: i32) -> tensor<4x8xf32> {
  %eight = arith.constant dense<8> : tensor<8xi32>
  %one = arith.constant dense<1> : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ns = tt.splat %n : i32 -> tensor<4xi32>
  %a = arith.cmpi slt, %i, %ns : tensor<4xi32>
  %a1 = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi1> -> tensor<4x1xi1>
  %a2 = tt.broadcast %a1 : tensor<4x1xi1> -> tensor<4x8xi1>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %h = arith.divsi %j, %two : tensor<8xi32>
  %k = arith.addi %h, %one : tensor<8xi32>
  %b = arith.cmpi ult, %k, %eight : tensor<8xi32>
  %b1 = tt.expand_dims %b {axis = 0 : i32} : tensor<8xi1> -> tensor<1x8xi1>
  %b2 = tt.broadcast %b1 : tensor<1x8xi1> -> tensor<4x8xi1>
  %m = arith.andi %b2, %a2 : tensor<4x8xi1>
  %x = tt.load %p, %m : tensor<4x8x!tt.ptr<f32>>
  tt.return %x : tensor<4x8xf32>
}

// The last element is outside; an i8 wraps around; a negative number is large
// where it is compared without a sign.
// CHECK-LABEL: tt.func @kept
// CHECK-COUNT-3: tt.load %{{[a-z0-9]+}}, %{{[0-9]+}} : tensor<64x!tt.ptr<f32>>
tt.func @kept(%p: tensor<64x!tt.ptr<f32>>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %short = arith.constant dense<63> : tensor<64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %a = arith.cmpi slt, %i, %short : tensor<64xi32>
  %x = tt.load %p, %a : tensor<64x!tt.ptr<f32>>
  %three = arith.constant dense<3> : tensor<64xi8>
  %n8 = arith.constant dense<-1> : tensor<64xi8>
  %i8 = arith.trunci %i : tensor<64xi32> to tensor<64xi8>
  %wrapped = arith.muli %i8, %three : tensor<64xi8>
  %b = arith.cmpi sgt, %wrapped, %n8 : tensor<64xi8>
  %y = tt.load %p, %b : tensor<64x!tt.ptr<f32>>
  %one = arith.constant dense<1> : tensor<64xi32>
  %length = arith.constant dense<64> : tensor<64xi32>
  %before = arith.subi %i, %one : tensor<64xi32>
  %c = arith.cmpi ult, %before, %length : tensor<64xi32>
  %z = tt.load %p, %c : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y, %z : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// A truth value that is stored, or selected where a mask is false, is no mask.
// CHECK-LABEL: tt.func @values
// CHECK: tt.load %arg0, %arg1, %{{[a-z0-9_]+}} : tensor<64x!tt.ptr<i1>>
// CHECK: tt.store %arg0, %{{[a-z0-9_]+}}, %arg1 : tensor<64x!tt.ptr<i1>>
tt.func @values(%p: tensor<64x!tt.ptr<i1>>, %m: tensor<64xi1>) -> tensor<64xi1> {
  %length = arith.constant dense<64> : tensor<64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %yes = arith.cmpi slt, %i, %length : tensor<64xi32>
  %x = tt.load %p, %m, %yes : tensor<64x!tt.ptr<i1>>
  tt.store %p, %yes, %m : tensor<64x!tt.ptr<i1>>
  tt.return %x : tensor<64xi1>
}
