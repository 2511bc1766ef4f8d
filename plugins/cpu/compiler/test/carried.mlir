// A tile that a loop carries is updated in place if each element only needs its
// own old value; pointers that only advance are scalars (strength reduction).
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O fast_paths=-in-place --stop-after llir -o - | FileCheck %s --check-prefix=SWAP

// CHECK: tile program @sum
// CHECK: scf.for
// CHECK-NEXT: carry {{%[a-z0-9]+}} in b[[B:[0-9]+]]{{$}}
// CHECK-NOT: carry
// CHECK: materialize {{%[0-9]+}} in b[[B]]

// SWAP: carry {{%[a-z0-9]+}} in b{{[0-9]+}}, b{{[0-9]+}}

tt.func public @sum(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %step = arith.constant dense<128> : tensor<128xi32>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %pa) -> (tensor<128xf32>, tensor<128x!tt.ptr<f32>>) : i32 {
    %x = tt.load %at : tensor<128x!tt.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<128xf32>
    %next = tt.addptr %at, %step : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %s, %next : tensor<128xf32>, tensor<128x!tt.ptr<f32>>
  }
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qa = tt.addptr %qs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %qa, %r#0 : tensor<128x!tt.ptr<f32>>
  tt.return
}
