// Loads that one store may alias are copied together, all if one overlaps it.
// The kernel checks itself: of its loads only that of %p overlaps the store.
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range f32[1024]=ones --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[1025]=range f32[1024]=ones --no-cache -O fast_paths=none
// RUN: nereid compile %s --target cpu --stop-after llir -o %t.ll --no-cache
// RUN: FileCheck %s < %t.ll

// CHECK:      copy [[X:%[0-9]+]] to b0 if {{.*}} is below
// CHECK-NEXT: copy [[Y:%[0-9]+]] to b1 if {{.*}} is below
// CHECK-LABEL: define
// CHECK:      br i1 %{{[0-9]+}}, label %[[SLOW:overlap[0-9]*]],
// CHECK:      [[SLOW]]:
// CHECK-NOT:  label %overlap
// CHECK-LABEL: }

tt.func public @shift_sum(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ones = tt.addptr %qs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %to = tt.addptr %from, %one : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %from : tensor<1024x!tt.ptr<f32>>
  %y = tt.load %ones : tensor<1024x!tt.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<1024xf32>
  tt.store %to, %sum : tensor<1024x!tt.ptr<f32>>
  %z = tt.load %to : tensor<1024x!tt.ptr<f32>>
  %next = arith.addi %range, %one : tensor<1024xi32>
  %expected = arith.sitofp %next : tensor<1024xi32> to tensor<1024xf32>
  %same = arith.cmpf oeq, %z, %expected : tensor<1024xf32>
  tt.assert %same, "a load saw a later store" : tensor<1024xi1>
  tt.return
}
