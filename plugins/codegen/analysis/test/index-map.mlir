// RUN: nereid-forms %s | FileCheck %s

// The operand index of each operation that moves elements.

// CHECK-LABEL: @maps
tt.func public @maps(%n: i32, %p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK: map %{{.*}} reads %arg0 at (){{$}}
  %s = tt.splat %n : i32 -> tensor<16xi32>
  // CHECK: map %{{.*}} at (i0){{$}}
  %r = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK: map %{{.*}} at (i1){{$}}
  %c = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  // CHECK: map %{{.*}} at (i0, 0){{$}}
  %rb = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x64xi32>
  // CHECK: map %{{.*}} at (0, i1){{$}}
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.muli %rb, %cb : tensor<16x64xi32>
  // CHECK: map %{{.*}} at (i1, i0){{$}}
  %t = tt.trans %o {order = array<i32: 1, 0>} : tensor<16x64xi32> -> tensor<64x16xi32>
  // CHECK: map %{{.*}} at (i1, i2, i0){{$}}
  %o3 = tt.expand_dims %o {axis = 1 : i32} : tensor<16x64xi32> -> tensor<16x1x64xi32>
  %t3 = tt.trans %o3 {order = array<i32: 2, 0, 1>} : tensor<16x1x64xi32> -> tensor<64x16x1xi32>
  // One dimension becomes several: the first has the upper bits.
  // CHECK: map %{{.*}} at (?, i2){{$}}
  %cut = tt.reshape %o : tensor<16x64xi32> -> tensor<4x4x64xi32>
  // CHECK: map %{{.*}} at (i0 >> 2, ?, i1){{$}}
  %merged = tt.reshape %cut : tensor<4x4x64xi32> -> tensor<16x64xi32>
  // Dimensions of size 1 come and go.
  // CHECK: map %{{.*}} at (i1, i3){{$}}
  %ones = tt.reshape %o : tensor<16x64xi32> -> tensor<1x16x1x64xi32>
  // CHECK: map %{{.*}} at (0, i0, 0, i1){{$}}
  %back = tt.reshape %ones : tensor<1x16x1x64xi32> -> tensor<16x64xi32>
  // CHECK: map %{{.*}} at (i0){{$}}
  // CHECK: map %{{.*}} at (i0){{$}}
  %both = tt.join %i, %s : tensor<16xi32> -> tensor<16x2xi32>
  // CHECK: map %{{.*}} at (i0, ?){{$}}
  %left, %right = tt.split %both : tensor<16x2xi32> -> tensor<16xi32>
  // CHECK: map %{{.*}} at (?){{$}}
  // CHECK: map %{{.*}} at (?){{$}}
  %cat = tt.cat %i, %s : tensor<16xi32> -> tensor<32xi32>
  // CHECK: map %{{.*}} at (?){{$}}
  // CHECK: map %{{.*}} at (i0){{$}}
  %gather = tt.gather %i[%s] {axis = 0 : i32} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  tt.return
}

// Rows of a product, repeated: a term of the upper bits, and on the way back
// through the repetition no index along it.
// CHECK-LABEL: @terms
tt.func public @terms(%p: !tt.ptr<i32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // CHECK: [[SQUARE:%[0-9]+]] = (0) + [0] . i + (1) * [[SQUARE]](i0)
  %square = arith.muli %i, %i : tensor<16xi32>
  // CHECK: = (0) + [0, 0] . i + (1) * [[SQUARE]](i0)
  %e = tt.expand_dims %square {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %b = tt.broadcast %e : tensor<16x1xi32> -> tensor<16x4xi32>
  // CHECK: = (0) + [0] . i + (1) * [[SQUARE]](i0 >> 2)
  %rows = tt.reshape %b : tensor<16x4xi32> -> tensor<64xi32>
  // CHECK: = (0) + [0, 0] . i + (1) * [[SQUARE]](i1 >> 2)
  %c = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  // CHECK: = %arg0 + (0) + [0] . i + (1) * [[SQUARE]](i0 >> 2)
  %q = tt.addptr %ps, %rows : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.return
}
