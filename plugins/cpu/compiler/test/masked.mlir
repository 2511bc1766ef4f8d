// With a large body, one masked loop runs the whole axis, and compares the lane
// numbers with the number of elements left; a small body is split, so that most
// of the axis runs without masks.
// RUN: nereid compile %s --target cpu --stop-after llir -O cpu=x86-64-v4 -o - | FileCheck %s --check-prefix=ONE
// RUN: nereid compile %s --target cpu --stop-after llir -O cpu=x86-64-v4 -O fast_paths=all,-masked-loops -o - | FileCheck %s --check-prefix=TWO
// RUN: nereid compile %s --target cpu --stop-after llir -O cpu=x86-64-v3 -o - | FileCheck %s --check-prefix=TWO

// ONE:     nest [1024] axis 0 lanes 16 unroll 1 masked
// ONE:     trunc i64 %{{.*}} to i32
// ONE:     icmp slt <16 x i32> <i32 0, i32 1,
// ONE:     call <16 x float> @llvm.masked.load
// ONE-NOT: load <16 x float>
// ONE:     call void @llvm.masked.store
// ONE-NOT: store <16 x float>
// ONE:     {{^}$}}

// TWO-NOT: masked{{$}}
// TWO:     {{^}}full:
// TWO:     {{^}}rest:

tt.func public @ratio(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %from = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %to = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %v = tt.load %from, %mask : tensor<1024x!tt.ptr<f32>>
  %e = math.exp %v : tensor<1024xf32>
  %sum = arith.addf %e, %one : tensor<1024xf32>
  %other = math.exp %sum : tensor<1024xf32>
  %part = arith.divf %e, %other : tensor<1024xf32>
  tt.store %to, %part, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
