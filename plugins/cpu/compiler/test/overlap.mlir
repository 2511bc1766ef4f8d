// A tile load happens as a whole before a store that follows it, also where
// both touch the same memory: elements move up by one, none twice. The kernel
// checks itself.
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range --no-cache -O fast_paths=all,-vectorize

tt.func public @shift(%p: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to = tt.addptr %from, %one : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %from : tensor<1024x!tt.ptr<f32>>
  tt.store %to, %x : tensor<1024x!tt.ptr<f32>>
  %y = tt.load %to : tensor<1024x!tt.ptr<f32>>
  %expected = arith.sitofp %range : tensor<1024xi32> to tensor<1024xf32>
  %same = arith.cmpf oeq, %y, %expected : tensor<1024xf32>
  tt.assert %same, "a load saw a later store" : tensor<1024xi1>
  tt.return
}
