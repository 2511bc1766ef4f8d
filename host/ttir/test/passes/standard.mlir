// The standard pipeline leaves one function without calls, block pointers or
// descriptors.
// RUN: nereid-opt -ttir-standard %s | FileCheck %s
// RUN: nereid-opt -pass-pipeline='builtin.module(inline,canonicalize,cse)' %s | FileCheck %s --check-prefix=SHORT

// CHECK: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK-NOT: tt.make_tensor_ptr
// CHECK: tt.load
// CHECK: tt.store
// CHECK-NOT: tt.func
// SHORT: tt.func public @kernel
// SHORT: tt.make_tensor_ptr
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i64) attributes {noinline = false} {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %0 = tt.make_tensor_ptr %p, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<8xf32>>
  tt.call @helper(%0) : (!tt.ptr<tensor<8xf32>>) -> ()
  tt.return
}

tt.func private @helper(%q: !tt.ptr<tensor<8xf32>>) attributes {noinline = false} {
  %0 = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
  %1 = math.exp %0 : tensor<8xf32>
  tt.store %q, %1 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
  tt.return
}
