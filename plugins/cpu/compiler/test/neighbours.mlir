// Lanes whose addresses turn out to be neighbours are loaded and stored by one
// access; a loaded index is not looked at.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 -O fast_paths=all,-neighbours --stop-after llir -o - | FileCheck %s --check-prefix=OFF

// CHECK: define i32 @nereid_cpu_entry
// CHECK: [[ARE:%.*]] = call i1 @llvm.vector.reduce.and.v16i1
// CHECK-NEXT: br i1 [[ARE]], label %[[YES:.*]], label %[[NO:.*]]
// CHECK: [[YES]]:
// CHECK: masked.load.v16f32
// CHECK: [[NO]]:
// CHECK: insertelement <16 x float>
// CHECK: llvm.vector.reduce.and.v16i1
// CHECK: masked.store.v16f32
// CHECK-NOT: call i1 @llvm.vector.reduce.and

// OFF-NOT: llvm.vector.reduce.and

// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[256]=range f32[256]=zeros i32[64]=random:3:0:63 i32=3 i32=50 --save 1=%t.1.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=range f32[256]=zeros i32[64]=random:3:0:63 i32=3 i32=50 --expect 1=%t.1.npy,0,0
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[256]=range f32[256]=zeros i32[64]=random:3:0:63 i32=16 i32=64 --save 1=%t.2.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=range f32[256]=zeros i32[64]=random:3:0:63 i32=16 i32=64 --expect 1=%t.2.npy,0,0
tt.func public @roll(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %order: !tt.ptr<i32>, %shift: i32, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %by = tt.splat %shift : i32 -> tensor<64xi32>
  %size = tt.splat %n : i32 -> tensor<64xi32>
  %sum = arith.addi %i, %by : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %half = arith.divsi %sum, %two : tensor<64xi32>
  %even = arith.muli %half, %two : tensor<64xi32>
  %odd = arith.remsi %sum, %two : tensor<64xi32>
  %again = arith.addi %even, %odd : tensor<64xi32>
  %from = arith.remsi %again, %size : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %px = tt.addptr %xs, %from : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %px : tensor<64x!tt.ptr<f32>>
  %c = arith.constant dense<5> : tensor<64xi32>
  %moved = arith.addi %i, %c : tensor<64xi32>
  %to = arith.divsi %moved, %c : tensor<64xi32>
  %back = arith.muli %to, %c : tensor<64xi32>
  %left = arith.remsi %moved, %c : tensor<64xi32>
  %same = arith.addi %back, %left : tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %py = tt.addptr %ys, %same : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %py, %v : tensor<64x!tt.ptr<f32>>
  // By a loaded index.
  %os = tt.splat %order : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %o = tt.load %po : tensor<64x!tt.ptr<i32>>
  %pg = tt.addptr %xs, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %g = tt.load %pg : tensor<64x!tt.ptr<f32>>
  %far = arith.constant dense<128> : tensor<64xi32>
  %end = arith.addi %i, %far : tensor<64xi32>
  %pe = tt.addptr %ys, %end : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %pe, %g : tensor<64x!tt.ptr<f32>>
  tt.return
}
