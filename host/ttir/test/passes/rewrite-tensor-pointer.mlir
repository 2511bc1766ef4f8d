// Block pointers become tensors of pointers, wherever they flow.
// RUN: nereid-opt -triton-rewrite-tensor-pointer %s | FileCheck %s --implicit-check-not=tt.make_tensor_ptr --implicit-check-not=tt.advance --implicit-check-not='ptr<tensor'

// CHECK-LABEL: @access
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i32)
tt.func @access(%p: !tt.ptr<f32>, %m: i64, %n: i64, %s: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // CHECK: %[[OFF:.*]] = arith.extsi %[[I]] : i32 to i64
  %0 = tt.make_tensor_ptr %p, [%m, %n], [%s, %one], [%i, %i] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  // Rows: offset + range, as a column; columns as a row.
  // CHECK: tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // CHECK: %[[ROWS:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
  // CHECK: tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  // CHECK: %[[COLS:.*]] = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<4xi64> -> tensor<1x4xi64>
  // Only dimension 1 is checked.
  // CHECK: tt.splat %[[N]] : i64 -> tensor<1x4xi64>
  // CHECK: arith.cmpi sge, %[[COLS]]
  // CHECK: arith.cmpi slt, %[[COLS]]
  // CHECK: %[[MASK:.*]] = tt.broadcast %{{.*}} : tensor<1x4xi1> -> tensor<8x4xi1>
  // CHECK: tt.splat %[[P]] : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
  // CHECK: tt.splat %[[S]] : i64 -> tensor<8x1xi64>
  // CHECK: arith.muli %[[ROWS]]
  // CHECK: tt.addptr
  // CHECK: %[[PTRS:.*]] = tt.addptr
  // CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<8x4xf32>
  // CHECK: tt.load %[[PTRS]], %[[MASK]], %[[NAN]] cacheModifier = cg : tensor<8x4x!tt.ptr<f32>>
  %1 = tt.load %0 cacheModifier = cg {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<8x4xf32>>
  // Unchecked: no mask.
  // CHECK: tt.store %{{[^,]*}}, %{{[^,]*}} : tensor<8x4x!tt.ptr<f32>>
  tt.store %0, %1 : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// CHECK-LABEL: @advance
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64, %[[I:.*]]: i32)
tt.func @advance(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // CHECK: %[[A:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK: %[[B:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK: %[[C:.*]] = arith.addi %[[A]], %[[B]] : i64
  // CHECK: tt.splat %[[C]] : i64 -> tensor<8xi64>
  %0 = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<8xf32>>
  %1 = tt.advance %0, [%i] : <tensor<8xf32>>
  %2 = tt.load %1 : !tt.ptr<tensor<8xf32>>
  tt.return
}

// CHECK-LABEL: @loop
tt.func @loop(%p: !tt.ptr<f32>, %n: i64, %k: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %one = arith.constant 1 : i64
  %0 = tt.make_tensor_ptr %p, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<8xf32>>
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (!tt.ptr<f32>, i64, i64, i64, i32)  : i32 {
  %1:2 = scf.for %i = %zero to %k step %eight iter_args(%q = %0, %x = %zero) -> (!tt.ptr<tensor<8xf32>>, i32) : i32 {
    // CHECK: tt.load
    %2 = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
    %3 = tt.advance %q, [%eight] : <tensor<8xf32>>
    // CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64, i64, i64, i32
    scf.yield %3, %i : !tt.ptr<tensor<8xf32>>, i32
  }
  // CHECK: scf.if %{{.*}} -> (!tt.ptr<f32>, i64, i64, i64) {
  %4 = scf.if %c -> (!tt.ptr<tensor<8xf32>>) {
    scf.yield %1#0 : !tt.ptr<tensor<8xf32>>
  } else {
    scf.yield %0 : !tt.ptr<tensor<8xf32>>
  }
  // CHECK: scf.while ({{.*}}) : (!tt.ptr<f32>, i64, i64, i64) -> (!tt.ptr<f32>, i64, i64, i64) {
  %5 = scf.while (%q = %4) : (!tt.ptr<tensor<8xf32>>) -> !tt.ptr<tensor<8xf32>> {
    scf.condition(%c) %q : !tt.ptr<tensor<8xf32>>
  } do {
  ^bb0(%q: !tt.ptr<tensor<8xf32>>):
    %6 = tt.advance %q, [%eight] : <tensor<8xf32>>
    scf.yield %6 : !tt.ptr<tensor<8xf32>>
  }
  // CHECK: tt.load
  %7 = tt.load %5 : !tt.ptr<tensor<8xf32>>
  tt.return
}

// CHECK-LABEL: @branch
tt.func @branch(%p: !tt.ptr<f32>, %n: i64, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %0 = tt.make_tensor_ptr %p, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<8xf32>>
  %1 = arith.select %c, %0, %0 : !tt.ptr<tensor<8xf32>>
  // CHECK-COUNT-4: arith.select
  // CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64, i64, i64), ^bb2
  cf.cond_br %c, ^bb1(%1 : !tt.ptr<tensor<8xf32>>), ^bb2
  // CHECK: ^bb1(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64):
^bb1(%q: !tt.ptr<tensor<8xf32>>):
  %2 = tt.load %q : !tt.ptr<tensor<8xf32>>
  cf.br ^bb2
^bb2:
  tt.return
}

// CHECK-LABEL: @calls
tt.func public @calls(%n: i32 {tt.divisibility = 16 : i32}, %p: !tt.ptr<f32>, %s: i64) attributes {noinline = false} {
  %one = arith.constant 1 : i64
  %0 = tt.make_tensor_ptr %p, [%s], [%one], [%n] {order = array<i32: 0>} : <tensor<8xf32>>
  // CHECK: tt.call @helper({{.*}}) : (!tt.ptr<f32>, i64, i64, i64) -> (!tt.ptr<f32>, i64, i64, i64)
  %1 = tt.call @helper(%0) : (!tt.ptr<tensor<8xf32>>) -> !tt.ptr<tensor<8xf32>>
  tt.return
}

// CHECK: tt.func private @helper(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) -> (!tt.ptr<f32>, i64, i64, i64) attributes {noinline = true}
tt.func private @helper(%q: !tt.ptr<tensor<8xf32>>) -> !tt.ptr<tensor<8xf32>> attributes {noinline = true} {
  // CHECK: tt.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64, i64, i64
  tt.return %q : !tt.ptr<tensor<8xf32>>
}
