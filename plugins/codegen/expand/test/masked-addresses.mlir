// What clamps an address changes nothing where the mask says that there is
// nothing to clamp, and elsewhere nothing is accessed.
// RUN: nereid-expand %s | FileCheck %s

// Below n, and not below zero.
// CHECK-LABEL: tt.func @both_ends
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<64x!tt.ptr<f32>>, %[[I:[a-z0-9]+]]: tensor<64xi32>
// CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[I]] :
// CHECK-NEXT: tt.load %[[Q]], %{{.*}} :
tt.func @both_ends(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>, %n: i32)
    -> tensor<64xf32> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %one = arith.constant 1 : i32
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %last = arith.subi %n, %one : i32
  %lasts = tt.splat %last : i32 -> tensor<64xi32>
  %above = arith.cmpi sge, %i, %zero : tensor<64xi32>
  %below = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %m = arith.andi %above, %below : tensor<64xi1>
  %large = arith.maxsi %i, %zero : tensor<64xi32>
  %k = arith.minsi %large, %lasts : tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %q, %m : tensor<64x!tt.ptr<f32>>
  tt.return %x : tensor<64xf32>
}

// The limit is two less, or the comparison may be equal: some are clamped.
// CHECK-LABEL: tt.func @clamped
// CHECK-NEXT: arith.constant
// CHECK-COUNT-2: arith.minsi
// CHECK: tt.addptr
// CHECK: tt.load
// CHECK-NOT: tt.addptr %arg0, %arg1
// CHECK: tt.return
tt.func @clamped(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>, %n: i32)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %two = arith.constant 2 : i32
  %one = arith.constant 1 : i32
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %n2 = arith.subi %n, %two : i32
  %n2s = tt.splat %n2 : i32 -> tensor<64xi32>
  %n1 = arith.subi %n, %one : i32
  %n1s = tt.splat %n1 : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %k = arith.minsi %i, %n2s : tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %q, %a : tensor<64x!tt.ptr<f32>>
  %b = arith.cmpi sle, %i, %ns : tensor<64xi32>
  %l = arith.minsi %i, %n1s : tensor<64xi32>
  %r = tt.addptr %p, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %y = tt.load %r, %b : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y : tensor<64xf32>, tensor<64xf32>
}

// Where a mask, or one that it includes, selects; where its opposite does.
// CHECK-LABEL: tt.func @selected
// CHECK: %[[S:.*]] = tt.addptr %arg0, %{{cst.*}} :
// CHECK: %[[R:.*]] = tt.addptr %arg0, %arg1 :
// CHECK: %[[Q:.*]] = tt.addptr %arg0, %arg1 :
// CHECK: tt.store %[[Q]], %arg2, %arg3 :
// CHECK: tt.store %[[R]], %arg2, %{{.*}} :
// CHECK: tt.store %[[S]], %arg2, %{{.*}} :
tt.func @selected(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>,
                  %x: tensor<64xf32>, %m: tensor<64xi1>, %o: tensor<64xi1>) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %k = arith.select %m, %i, %zero : tensor<64xi1>, tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %x, %m : tensor<64x!tt.ptr<f32>>
  %both = arith.andi %o, %m : tensor<64xi1>
  tt.store %q, %x, %both : tensor<64x!tt.ptr<f32>>
  %not = arith.xori %m, %true : tensor<64xi1>
  tt.store %q, %x, %not : tensor<64x!tt.ptr<f32>>
  tt.return
}

// The mask is of rows, the clamp of columns: not the same elements.
// CHECK-LABEL: tt.func @transposed
// CHECK: tt.load %[[Q:[a-z0-9]+]],
// CHECK-NOT: tt.load
// CHECK: tt.return
// CHECK-LABEL: tt.func @rows
// CHECK: %[[R:.*]] = tt.addptr %arg0, %arg1
// CHECK: %[[E:.*]] = tt.expand_dims %[[R]]
// CHECK: %[[B:.*]] = tt.broadcast %[[E]]
// CHECK: tt.load %[[B]],
tt.func @transposed(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>, %n: i32)
    -> tensor<64x64xf32> {
  %one = arith.constant 1 : i32
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %last = arith.subi %n, %one : i32
  %lasts = tt.splat %last : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %a1 = tt.expand_dims %a {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %m = tt.broadcast %a1 : tensor<64x1xi1> -> tensor<64x64xi1>
  %k = arith.minsi %i, %lasts : tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q1 = tt.expand_dims %q {axis = 0 : i32} : tensor<64x!tt.ptr<f32>> -> tensor<1x64x!tt.ptr<f32>>
  %q2 = tt.broadcast %q1 : tensor<1x64x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %x = tt.load %q2, %m : tensor<64x64x!tt.ptr<f32>>
  tt.return %x : tensor<64x64xf32>
}
tt.func @rows(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>, %n: i32)
    -> tensor<64x64xf32> {
  %one = arith.constant 1 : i32
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %last = arith.subi %n, %one : i32
  %lasts = tt.splat %last : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %a1 = tt.expand_dims %a {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %m = tt.broadcast %a1 : tensor<64x1xi1> -> tensor<64x64xi1>
  %k = arith.minsi %i, %lasts : tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q1 = tt.expand_dims %q {axis = 1 : i32} : tensor<64x!tt.ptr<f32>> -> tensor<64x1x!tt.ptr<f32>>
  %q2 = tt.broadcast %q1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %x = tt.load %q2, %m : tensor<64x64x!tt.ptr<f32>>
  tt.return %x : tensor<64x64xf32>
}

// i = a - b, and a >= b, and a < b + n.
// CHECK-LABEL: tt.func @difference
// CHECK: %[[I:.*]] = arith.subi %arg1, %{{.*}} : tensor<64xi32>
// CHECK: %[[Q:.*]] = tt.addptr %arg0, %[[I]] :
// CHECK-NEXT: tt.load %[[Q]],
tt.func @difference(%p: tensor<64x!tt.ptr<f32>>, %a: tensor<64xi32>, %b: i32,
                    %n: i32) -> tensor<64xf32> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %one = arith.constant 1 : i32
  %bs = tt.splat %b : i32 -> tensor<64xi32>
  %end = arith.addi %b, %n : i32
  %ends = tt.splat %end : i32 -> tensor<64xi32>
  %last = arith.subi %n, %one : i32
  %lasts = tt.splat %last : i32 -> tensor<64xi32>
  %above = arith.cmpi sge, %a, %bs : tensor<64xi32>
  %below = arith.cmpi slt, %a, %ends : tensor<64xi32>
  %m = arith.andi %above, %below : tensor<64xi1>
  %i = arith.subi %a, %bs : tensor<64xi32>
  %large = arith.maxsi %i, %zero : tensor<64xi32>
  %k = arith.minsi %large, %lasts : tensor<64xi32>
  %q = tt.addptr %p, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %q, %m : tensor<64x!tt.ptr<f32>>
  tt.return %x : tensor<64xf32>
}
