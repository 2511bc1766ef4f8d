// A chain of element-wise operations, its loads and its store are one nest.
// Loads that may alias the store are copied to scratch only if they do.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=AVX2
// RUN: nereid compile %s --target cpu -O fast_paths=all,-overlap-guard --stop-after llir -o - | FileCheck %s --check-prefix=MATERIALIZED

// CHECK: tile program @add
// CHECK: copy [[X:%[0-9]+]] to b0 if {{.*}} is below {{.*}}
// CHECK-NEXT: copy [[Y:%[0-9]+]] to b1 if {{.*}} is below {{.*}}
// CHECK-NEXT: nest [65536] axis 0 lanes 16 unroll 2
// CHECK-NEXT: mask %{{[0-9]+}}(i0) below a bound, where %{{[0-9]+}} < %{{[0-9]+}} by 1, else nothing
// CHECK-NEXT: store
// CHECK-NOT: {{^; *nest}}

// AVX2: nest [65536] axis 0 lanes 8 unroll 2

// MATERIALIZED: nest [65536]
// MATERIALIZED-NEXT: mask
// MATERIALIZED-NEXT: materialize
// MATERIALIZED-NEXT: materialize
// MATERIALIZED: nest [65536]
// MATERIALIZED-NEXT: mask
// MATERIALIZED-NEXT: store

tt.func public @add(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %r: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
  %limit = tt.splat %n : i32 -> tensor<65536xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<65536xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %rs = tt.splat %r : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %range : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %qa = tt.addptr %qs, %range : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %ra = tt.addptr %rs, %range : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %x = tt.load %pa, %mask : tensor<65536x!tt.ptr<f32>>
  %y = tt.load %qa, %mask : tensor<65536x!tt.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<65536xf32>
  tt.store %ra, %sum, %mask : tensor<65536x!tt.ptr<f32>>
  tt.return
}
