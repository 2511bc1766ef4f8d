// Sorts, flips and top-k as Triton makes them: tensors of 2x2x...x2 whose
// elements are exchanged by a reduction with xor. On targets that ask for it
// they have one dimension, and the exchange is a gather of range ^ constant.
// RUN: nereid-expand %s --flatten | FileCheck %s
// RUN: nereid-expand %s | FileCheck %s --check-prefix=KEPT

// KEPT-COUNT-5: "tt.reduce"
// KEPT-NOT: tt.gather

// One step of a sort: floats are exchanged as they are, and the extension of
// the comparison is gone.
// CHECK-LABEL: tt.func @step
// CHECK: %[[X:.*]] = tt.reshape %{{.*}} : tensor<4x2xf32> -> tensor<8xf32>
// CHECK: %[[RANGE:.*]] = tt.make_range {end = 8 : i32, start = 0 : i32}
// CHECK: %[[BIT:.*]] = arith.constant dense<2> : tensor<8xi32>
// CHECK: %[[INDEX:.*]] = arith.xori %[[RANGE]], %[[BIT]]
// CHECK: %[[Y:.*]] = tt.gather %[[X]][%[[INDEX]]] {axis = 0 : i32}
// CHECK-NOT: tt.reduce
// CHECK: arith.cmpf ogt, %[[X]], %[[Y]] : tensor<8xf32>
// CHECK: tt.broadcast {{.*}} : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
// CHECK-NOT: arith.extui
// CHECK: arith.cmpi ne, {{.*}} : tensor<8xi32>
// CHECK: arith.xori {{.*}} : tensor<8xi1>
// CHECK: %[[STEP:.*]] = arith.select {{.*}}, %[[Y]], %[[X]]
// CHECK: tt.return
tt.func @step(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %cube = tt.reshape %x : tensor<4x2xf32> -> tensor<2x2x2xf32>
  %bits = tt.bitcast %cube : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
  %both = "tt.reduce"(%bits) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %wide = tt.expand_dims %both {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
  %pairs = tt.broadcast %wide : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
  %other = arith.xori %bits, %pairs : tensor<2x2x2xi32>
  %y = tt.bitcast %other : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %right = tt.reshape %range : tensor<2xi32> -> tensor<1x2x1xi32>
  %above = arith.cmpf ogt, %cube, %y : tensor<2x2x2xf32>
  %number = arith.extui %above : tensor<2x2x2xi1> to tensor<2x2x2xi32>
  %rights = tt.broadcast %right : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
  %moves = arith.cmpi ne, %number, %rights : tensor<2x2x2xi32>
  %next = arith.select %moves, %y, %cube : tensor<2x2x2xi1>, tensor<2x2x2xf32>
  %flat = tt.reshape %next : tensor<2x2x2xf32> -> tensor<8xf32>
  tt.return %flat : tensor<8xf32>
}

// A flip of an axis of four: two exchanges are one.
// CHECK-LABEL: tt.func @flip
// CHECK: %[[X:.*]] = tt.reshape %{{.*}} : tensor<2x4xi16> -> tensor<8xi16>
// CHECK: %[[THREE:.*]] = arith.constant dense<3> : tensor<8xi32>
// CHECK-NEXT: %[[INDEX:.*]] = arith.xori %{{.*}}, %[[THREE]]
// CHECK-NEXT: %[[Y:.*]] = tt.gather %[[X]][%[[INDEX]]]
// CHECK: tt.reshape %[[Y]] : tensor<8xi16> -> tensor<2x4xi16>
tt.func @flip(%x: tensor<2x4xi16>) -> tensor<2x4xi16> {
  %cube = tt.reshape %x : tensor<2x4xi16> -> tensor<2x2x2xi16>
  %0 = "tt.reduce"(%cube) <{axis = 1 : i32}> ({
  ^bb0(%a: i16, %b: i16):
    %c = arith.xori %a, %b : i16
    tt.reduce.return %c : i16
  }) : (tensor<2x2x2xi16>) -> tensor<2x2xi16>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<2x2xi16> -> tensor<2x1x2xi16>
  %2 = tt.broadcast %1 : tensor<2x1x2xi16> -> tensor<2x2x2xi16>
  %3 = arith.xori %cube, %2 : tensor<2x2x2xi16>
  %4 = "tt.reduce"(%3) <{axis = 2 : i32}> ({
  ^bb0(%a: i16, %b: i16):
    %c = arith.xori %b, %a : i16
    tt.reduce.return %c : i16
  }) : (tensor<2x2x2xi16>) -> tensor<2x2xi16>
  %5 = tt.expand_dims %4 {axis = 2 : i32} : tensor<2x2xi16> -> tensor<2x2x1xi16>
  %6 = tt.broadcast %5 : tensor<2x2x1xi16> -> tensor<2x2x2xi16>
  %7 = arith.xori %6, %3 : tensor<2x2x2xi16>
  %8 = tt.reshape %7 : tensor<2x2x2xi16> -> tensor<2x4xi16>
  tt.return %8 : tensor<2x4xi16>
}

// Another sum than that of the tensor itself is no exchange, and what is not
// an axis of two neither.
// CHECK-LABEL: tt.func @others
// CHECK-NOT: tt.gather
// CHECK-COUNT-2: "tt.reduce"
tt.func @others(%x: tensor<2x4xi32>, %y: tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x4xi32>) -> tensor<4xi32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %2 = tt.broadcast %1 : tensor<1x4xi32> -> tensor<2x4xi32>
  %3 = arith.xori %y, %2 : tensor<2x4xi32>
  %4 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x4xi32>) -> tensor<2xi32>
  %5 = tt.expand_dims %4 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %6 = tt.broadcast %5 : tensor<2x1xi32> -> tensor<2x4xi32>
  %7 = arith.xori %x, %6 : tensor<2x4xi32>
  tt.return %3, %7 : tensor<2x4xi32>, tensor<2x4xi32>
}
