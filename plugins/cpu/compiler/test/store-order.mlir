// Stores of one program happen in its order, also where their addresses overlap:
// the second of two, one element above the first, wins everywhere but at 0, and
// one through another argument that leads to the same memory does too. The
// kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 f32[1100]=zeros --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1100]=zeros --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[1100]=zeros --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 f32[1100]=zeros --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 f32[1100]=zeros --no-cache -O vector_bits=128
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s
// CHECK:      nest [1024]
// CHECK-NEXT:   store
// CHECK-NEXT:   store
// CHECK-NEXT: defer store to [[TO:%[0-9]+]] in b{{[0-9]+}} if [[FROM:%[0-9]+]] is below [[TO]]

tt.func public @shifted(%p: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %first = arith.constant dense<1.0> : tensor<1024xf32>
  %second = arith.constant dense<2.0> : tensor<1024xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %at = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %above = tt.addptr %at, %one : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %at, %first : tensor<1024x!tt.ptr<f32>>
  tt.store %above, %second : tensor<1024x!tt.ptr<f32>>
  %x = tt.load %above : tensor<1024x!tt.ptr<f32>>
  %same = arith.cmpf oeq, %x, %second : tensor<1024xf32>
  tt.assert %same, "the first store came last" : tensor<1024xi1>
  tt.return
}
