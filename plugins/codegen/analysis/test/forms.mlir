// RUN: nereid-forms %s | FileCheck %s

// The form of a tile is its base, a stride per dimension, and other terms.

// CHECK-LABEL: @contiguous
tt.func public @contiguous(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c1024 : i32
  // CHECK: = (0) + [1] . i
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %base = tt.splat %first : i32 -> tensor<1024xi32>
  // CHECK: [[OFFS:%[0-9]+]] = (1024 * [[PID:%[0-9]+]]) + [1] . i  divisibility 1024
  %offs = arith.addi %base, %range : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offs, %limit : tensor<1024xi32>
  %ptr = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  // CHECK: = %arg0 + (1024 * [[PID]]) + [1] . i
  %ptrs = tt.addptr %ptr, %offs : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  // CHECK: mask {{.*}} along 0
  // CHECK-NEXT: below a bound, where [[OFFS]] < %{{.*}} by 1 if [[OFFS]] <= 2147482624
  %x = tt.load %ptrs, %mask : tensor<1024x!tt.ptr<f32>>
  tt.store %ptrs, %x, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// An unsigned comparison is an interval of numbers that are not negative.
// CHECK-LABEL: @unsigned
tt.func public @unsigned(%p: !tt.ptr<f32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %first : i32 -> tensor<64xi32>
  %offs = arith.addi %base, %range : tensor<64xi32>
  %limit = tt.splat %n : i32 -> tensor<64xi32>
  %half = arith.constant dense<32> : tensor<64xi32>
  %huge = arith.constant dense<-32> : tensor<64xi32>
  %ptr = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ptrs = tt.addptr %ptr, %offs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %argument = arith.cmpi ult, %offs, %limit : tensor<64xi32>
  // CHECK: mask {{.*}} along 0
  // CHECK-NEXT: below a bound, where [[OFFS:%[0-9]+]] < [[N:%[0-9]+]] by 1 if [[OFFS]] >= 0 if [[OFFS]] <= 2147483584 if [[N]] >= 0
  %x = tt.load %ptrs, %argument : tensor<64x!tt.ptr<f32>>
  %constant = arith.cmpi uge, %range, %half : tensor<64xi32>
  // CHECK: mask {{.*}} along 0
  // CHECK-NEXT: from a bound, where %{{[0-9]+}} >= %{{[a-z_0-9]+}} by 1{{$}}
  tt.store %ptrs, %x, %constant : tensor<64x!tt.ptr<f32>>
  %negative = arith.cmpi ugt, %range, %huge : tensor<64xi32>
  // CHECK: mask {{.*}} along 0
  // CHECK-NEXT: no interval
  tt.store %ptrs, %x, %negative : tensor<64x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @strided
tt.func public @strided(%p: !tt.ptr<f32>, %stride: i32, %m: i32) {
  %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %s = tt.splat %stride : i32 -> tensor<32x1xi32>
  // CHECK: = (0) + [%arg1, 0] . i
  %scaled = arith.muli %r, %s : tensor<32x1xi32>
  %rb = tt.broadcast %scaled : tensor<32x1xi32> -> tensor<32x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<32x64xi32>
  // CHECK: = (0) + [%arg1, 1] . i
  %offs = arith.addi %rb, %cb : tensor<32x64xi32>
  %ptr = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %ptrs = tt.addptr %ptr, %offs : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %limit = tt.splat %m : i32 -> tensor<32x1xi32>
  %inside = arith.cmpi slt, %r, %limit : tensor<32x1xi32>
  %mask = tt.broadcast %inside : tensor<32x1xi1> -> tensor<32x64xi1>
  // CHECK: mask {{.*}} along 0
  // CHECK-NEXT: below a bound, where %{{.*}} < %{{.*}} by 1{{$}}
  // CHECK: along 1
  // CHECK-NEXT: uniform
  %x = tt.load %ptrs, %mask : tensor<32x64x!tt.ptr<f32>>
  // CHECK: = %arg0 + (0) + [1, %arg1] . i
  %t = tt.trans %ptrs {order = array<i32: 1, 0>} : tensor<32x64x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
  tt.return
}

// A wrapped offset is a term of its own; its row is still a uniform base.
// CHECK-LABEL: @wrapped
tt.func public @wrapped(%p: !tt.ptr<f32>, %m: i32, %stride: i32) {
  %rows = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %limit = tt.splat %m : i32 -> tensor<32xi32>
  // CHECK: [[WRAPPED:%[0-9]+]] = (0) + [0] . i + (1) * [[WRAPPED]](i0)
  %wrapped = arith.remsi %rows, %limit : tensor<32xi32>
  %s = tt.splat %stride : i32 -> tensor<32xi32>
  %ptr = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %offs = arith.muli %wrapped, %s : tensor<32xi32>
  // CHECK: = %arg0 + (0) + [0] . i + (%arg2) * [[WRAPPED]](i0)
  %ptrs = tt.addptr %ptr, %offs : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.return
}

// CHECK-LABEL: @lower_bounds
tt.func public @lower_bounds(%p: !tt.ptr<f32>, %k: i32) {
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %limit = tt.splat %k : i32 -> tensor<32xi32>
  %twice = arith.muli %range, %two : tensor<32xi32>
  %above = arith.cmpi sge, %twice, %limit : tensor<32xi32>
  %odd = arith.cmpi ne, %range, %limit : tensor<32xi32>
  %mask = arith.andi %above, %odd : tensor<32xi1>
  %ptr = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %ptrs = tt.addptr %ptr, %range : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  // CHECK: along 0
  // CHECK-NEXT: from a bound, where %{{.*}} >= %{{.*}} by 2{{$}}
  // CHECK-NEXT: no interval
  %x = tt.load %ptrs, %mask : tensor<32x!tt.ptr<f32>>
  tt.return
}

// Truth values are accessed as bytes, at the same places.
// CHECK-LABEL: @truth_values
// CHECK: %[[A:[0-9]+]] = %arg0 + (0) + [1] . i
// CHECK-NEXT: %{{[0-9]+}} = %arg0 + (0) + [1] . i
// CHECK: access
tt.func public @truth_values(%p: !tt.ptr<i1>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
  %a = tt.addptr %ps, %i : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
  %b = tt.bitcast %a : tensor<64x!tt.ptr<i1>> -> tensor<64x!tt.ptr<i8>>
  %x = tt.load %b : tensor<64x!tt.ptr<i8>>
  tt.store %b, %x : tensor<64x!tt.ptr<i8>>
  tt.return
}

// Bytes of wider elements are elsewhere.
// CHECK-LABEL: @bytes_of_words
// CHECK: %{{[0-9]+}} = %arg0 + (0) + [1] . i
// CHECK-NOT: %arg0 + (0) + [1] . i
tt.func public @bytes_of_words(%p: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %b = tt.bitcast %a : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i8>>
  %x = tt.load %b : tensor<64x!tt.ptr<i8>>
  tt.return
}
