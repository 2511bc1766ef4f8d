// Invariant loads leave loops that write no memory, with a mask for zero trips.
// RUN: nereid-opt -triton-licm %s | FileCheck %s

// CHECK-LABEL: @hoists
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[N:.*]]: i32, %[[X:.*]]: tensor<8xf32>)
tt.func @hoists(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %n: i32, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
  // CHECK: %[[ALL:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<8xi1>
  // CHECK: %[[BOTH:.*]] = arith.andi %[[ALL]], %[[M]]
  // CHECK: %[[V:.*]] = tt.load %[[P]], %[[BOTH]] : tensor
  // CHECK: arith.mulf %[[V]], %[[V]]
  // CHECK: scf.for
  // CHECK-NOT: tt.load
  %0 = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<8xf32>) : i32 {
    %1 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    %2 = arith.mulf %1, %1 : tensor<8xf32>
    %3 = arith.addf %a, %2 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @runs
tt.func @runs(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  // CHECK: tt.load %{{[^,]*}} : !tt.ptr<f32>
  // CHECK: scf.for
  %0 = scf.for %i = %zero to %four step %one iter_args(%a = %x) -> (f32) : i32 {
    %1 = tt.load %p : !tt.ptr<f32>
    %2 = arith.addf %a, %1 : f32
    scf.yield %2 : f32
  }
  tt.return %0 : f32
}

// CHECK-LABEL: @stays
tt.func @stays(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // A write in the loop, here under a condition, may change what is read.
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK: tt.store
  %0 = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) : i32 {
    %1 = tt.load %p : !tt.ptr<f32>
    %2 = arith.addf %a, %1 : f32
    %3 = arith.cmpi sgt, %i, %one : i32
    scf.if %3 {
      tt.store %q, %2 : !tt.ptr<f32>
    }
    scf.yield %2 : f32
  }
  // CHECK: scf.for
  // CHECK: tt.load {{.*}} {isVolatile = true}
  %4 = scf.for %i = %zero to %n step %one iter_args(%a = %0) -> (f32) : i32 {
    %5 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %6 = arith.addf %a, %5 : f32
    scf.yield %6 : f32
  }
  tt.return %4 : f32
}
