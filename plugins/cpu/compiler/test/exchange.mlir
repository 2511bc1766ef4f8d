// A gather of `range ^ constant` reads the vector of other high bits and
// shuffles its lanes. Only what would be evaluated at two indices has a buffer:
// not the load, and not the operand of an exchange within vectors.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-exchange-groups --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-exchange --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %s --target cpu -O fast_paths=all,-vectorize --stop-after llir -o - | FileCheck %s --check-prefix=SCALAR

// CHECK: nest [64] axis 0 lanes 8
// CHECK-NEXT: mask
// CHECK-NEXT: materialize
// CHECK-NEXT: nest [64] axis 0 lanes 8
// CHECK-NEXT: mask
// CHECK-NEXT: store
// CHECK-NEXT: ModuleID
// CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
// CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
// CHECK: xor i64 %{{.*}}, 16
// CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
// CHECK-NOT: gather

// OFF: gather
// SCALAR-COUNT-2: materialize

// RUN: nereid run %s --target cpu --grid 1 f32[70]=random i32=3 i32=60 -O fast_paths=none --save 0=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[70]=random i32=3 i32=60 --expect 0=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[70]=random i32=3 i32=60 -O fast_paths=all,-vectorize --expect 0=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[70]=random i32=3 i32=60 -O reassociate=false --expect 0=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[70]=random i32=3 i32=60 -O vector_bits=128 --expect 0=%t.npy

tt.func public @exchange(%p: !tt.ptr<f32>, %distance: i32, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c63 = arith.constant dense<63> : tensor<64xi32>
  %c1 = arith.constant dense<1> : tensor<64xi32>
  %c18 = arith.constant dense<18> : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %other = arith.constant dense<0.5> : tensor<64xf32>
  %x = tt.load %from, %mask, %other : tensor<64x!tt.ptr<f32>>
  %i63 = arith.xori %r, %c63 : tensor<64xi32>
  %y = tt.gather %x[%i63] {axis = 0 : i32} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %a = arith.subf %x, %y : tensor<64xf32>
  %i1 = arith.xori %r, %c1 : tensor<64xi32>
  %b = tt.gather %a[%i1] {axis = 0 : i32} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %above = arith.cmpf ogt, %a, %b : tensor<64xf32>
  %c = arith.select %above, %b, %y : tensor<64xi1>, tensor<64xf32>
  %i18 = arith.xori %r, %c18 : tensor<64xi32>
  %d = tt.gather %c[%i18] {axis = 0 : i32} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %e = arith.subf %c, %d : tensor<64xf32>
  %ds = tt.splat %distance : i32 -> tensor<64xi32>
  %at = arith.addi %r, %ds : tensor<64xi32>
  %to = tt.addptr %ps, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %e, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
