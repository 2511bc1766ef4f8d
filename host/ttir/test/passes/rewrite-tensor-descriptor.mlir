// Tensor descriptors become tensors of pointers; arguments change with them.
// RUN: nereid-opt -triton-rewrite-tensor-descriptor-to-pointer %s | FileCheck %s --implicit-check-not=tensordesc --implicit-check-not=tt.descriptor
// RUN: nereid-opt -triton-rewrite-tensor-descriptor-to-pointer=round-flag=false %s | FileCheck %s --check-prefix=OLD

// A host descriptor arrives in pieces: base, sizes, strides, NaN padding, and
// since 3.7 the request to round to tf32.
// CHECK-LABEL: tt.func public @host(
// CHECK-SAME: %[[P:arg0]]: !tt.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S0:.*]]: i64, %[[S1:.*]]: i64, %[[NAN:.*]]: i1, %{{.*}}: i1, %[[I:.*]]: i32 {tt.divisibility = 16 : i32})
// OLD-LABEL: tt.func public @host(
// OLD-SAME: %{{.*}}: !tt.ptr<f16>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i1, %{{.*}}: i32 {tt.divisibility = 16 : i32})
tt.func public @host(%d: !tt.tensordesc<8x32xf16> {tt.divisibility = 16 : i32}, %i: i32 {tt.divisibility = 16 : i32}) {
  // All dimensions are checked.
  // CHECK: tt.splat %[[S0]] : i64 -> tensor<8x1xi64>
  // CHECK: tt.splat %[[S1]] : i64 -> tensor<1x32xi64>
  // CHECK: tt.splat %[[M]] : i64 -> tensor<8x1xi64>
  // CHECK: tt.splat %[[N]] : i64 -> tensor<1x32xi64>
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}} : tensor<8x32xi1>
  // CHECK: %[[OTHER:.*]] = arith.select %[[NAN]], %{{.*}}, %{{.*}} : tensor<8x32xf16>
  // CHECK: %[[V:.*]] = tt.load %{{.*}}, %[[MASK]], %[[OTHER]] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<8x32x!tt.ptr<f16>>
  %0 = tt.descriptor_load %d[%i, %i] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<8x32xf16> -> tensor<8x32xf16>
  // CHECK: tt.store %{{.*}}, %[[V]], %{{.*}} : tensor<8x32x!tt.ptr<f16>>
  tt.descriptor_store %d[%i, %i], %0 : !tt.tensordesc<8x32xf16>, tensor<8x32xf16>
  tt.return
}

// CHECK-LABEL: tt.func @device(
tt.func @device(%p: !tt.ptr<i32>, %m: i32, %n: i32, %s: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // CHECK: arith.extsi %{{.*}} : i32 to i64
  // CHECK: arith.extsi %{{.*}} : i32 to i64
  %0 = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : <i32>, <tensor<1x32xui32>>
  // A load of lower rank: the block is loaded whole and reshaped; integers are
  // padded with zero.
  // CHECK: %[[Z:.*]] = arith.constant dense<0> : tensor<1x32xi32>
  // CHECK: %[[V:.*]] = tt.load %{{.*}}, %{{.*}}, %[[Z]] : tensor<1x32x!tt.ptr<i32>>
  // CHECK: %[[R:.*]] = tt.reshape %[[V]] : tensor<1x32xi32> -> tensor<32xi32>
  %1 = tt.descriptor_load %0[%i, %i] : !tt.tensordesc<tensor<1x32xui32>> -> tensor<32xi32>
  // CHECK: %[[B:.*]] = tt.reshape %[[R]] : tensor<32xi32> -> tensor<1x32xi32>
  // CHECK: tt.atomic_rmw umax, release, gpu, %{{.*}}, %[[B]], %{{.*}} : (tensor<1x32x!tt.ptr<i32>>, tensor<1x32xi32>, tensor<1x32xi1>) -> tensor<1x32xi32>
  tt.descriptor_reduce max, %0[%i, %i], %1 : !tt.tensordesc<tensor<1x32xui32>>, tensor<32xi32>
  tt.return
}

// CHECK-LABEL: tt.func @signs(
tt.func @signs(%s: !tt.tensordesc<8xsi32>, %f: !tt.tensordesc<8xf32>, %x: tensor<8xi32>, %y: tensor<8xf32>, %i: i32) {
  // CHECK: tt.atomic_rmw min, release, gpu
  tt.descriptor_reduce min, %s[%i], %x : !tt.tensordesc<8xsi32>, tensor<8xi32>
  // CHECK: tt.atomic_rmw add, release, gpu
  tt.descriptor_reduce add, %s[%i], %x : !tt.tensordesc<8xsi32>, tensor<8xi32>
  // CHECK: tt.atomic_rmw fadd, release, gpu
  tt.descriptor_reduce add, %f[%i], %y : !tt.tensordesc<8xf32>, tensor<8xf32>
  tt.return
}

// Floats are compared by their bits: as signed integers without a sign, the
// other way round as unsigned ones with a sign; NaN not at all.
// CHECK-LABEL: tt.func @extremes(
tt.func @extremes(%d: !tt.tensordesc<8xf16>, %x: tensor<8xf16>, %i: i32) {
  // CHECK: %[[BITS:.*]] = arith.bitcast %arg{{.*}} : tensor<8xf16> to tensor<8xi16>
  // CHECK: arith.cmpf ord
  // CHECK: arith.cmpi sge, %[[BITS]]
  // CHECK: tt.atomic_rmw max, release, gpu, %{{.*}}, %[[BITS]]
  // CHECK: arith.cmpi slt, %[[BITS]]
  // CHECK: tt.atomic_rmw umin, release, gpu, %{{.*}}, %[[BITS]]
  tt.descriptor_reduce max, %d[%i], %x : !tt.tensordesc<8xf16>, tensor<8xf16>
  // CHECK: tt.atomic_rmw min, release, gpu
  // CHECK: tt.atomic_rmw umax, release, gpu
  tt.descriptor_reduce min, %d[%i], %x : !tt.tensordesc<8xf16>, tensor<8xf16>
  tt.return
}

// CHECK-LABEL: tt.func @rows(
tt.func @rows(%d: !tt.tensordesc<1x32xf32>, %r: tensor<8xi16>, %c: i32) {
  // CHECK: arith.extsi %{{.*}} : tensor<8xi16> to tensor<8xi64>
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>
  // CHECK: %[[V:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x32x!tt.ptr<f32>>
  %0 = tt.descriptor_gather %d[%r, %c] : (!tt.tensordesc<1x32xf32>, tensor<8xi16>, i32) -> tensor<8x32xf32>
  // CHECK: tt.store %{{.*}}, %[[V]], %{{.*}} : tensor<8x32x!tt.ptr<f32>>
  tt.descriptor_scatter %d[%r, %c], %0 : !tt.tensordesc<1x32xf32>, tensor<8xi16>, i32, tensor<8x32xf32>
  tt.return
}

// CHECK-LABEL: tt.func @loop(
tt.func @loop(%d: !tt.tensordesc<8xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (!tt.ptr<f32>, i64, i64, i1, i1)  : i32 {
  %0 = scf.for %i = %zero to %n step %one iter_args(%e = %d) -> (!tt.tensordesc<8xf32>) : i32 {
    scf.yield %e : !tt.tensordesc<8xf32>
  }
  tt.return
}
