// Rows are prefetched at a distance that depends on the processor, and on how
// many a loop loads: a Zen 5 prefetches nothing for loads by a mask. Rows that
// are short or that an earlier loop has loaded are not; but a loop that copies them
// if addresses overlap is rare, and not the first.
// RUN: split-file %s %t
// RUN: nereid compile %t/add.mlir --target cpu -O cpu=znver5 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/add.mlir --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=INTEL
// RUN: nereid compile %t/add.mlir --target cpu -O cpu=znver3 --stop-after llir -o - | FileCheck %s --check-prefix=ZEN3
// RUN: nereid compile %t/add.mlir --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/add.mlir --target cpu -O cpu=znver5 -O fast_paths=all,-read-ahead --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/short.mlir --target cpu -O cpu=znver5 --stop-after llir -o - | FileCheck %s --check-prefix=NONE
// RUN: nereid compile %t/softmax.mlir --target cpu -O cpu=znver5 --stop-after llir -o - | FileCheck %s --check-prefix=ONCE
// RUN: nereid compile %t/shift.mlir --target cpu -O cpu=znver5 --stop-after llir -o - | FileCheck %s --check-prefix=COPY

// CHECK-DAG: getelementptr i8, ptr %{{.*}}, i64 4096
// CHECK: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
// CHECK: call void @llvm.prefetch.p0(
// INTEL-DAG: getelementptr i8, ptr %{{.*}}, i64 1024
// INTEL: call void @llvm.prefetch.p0(
// ZEN3-DAG: getelementptr i8, ptr %{{.*}}, i64 2048
// ZEN3: call void @llvm.prefetch.p0(
// NONE-NOT: call void @llvm.prefetch

// ONCE: call <16 x float> @llvm.masked.load
// ONCE: call void @llvm.prefetch.p0(
// ONCE-NOT: call void @llvm.prefetch

// COPY: copy %
// COPY: {{^}}loop:
// COPY-NOT: call void @llvm.prefetch
// COPY: {{^}}exit:
// COPY: load <16 x float>
// COPY: call void @llvm.prefetch.p0(

//--- shift.mlir
tt.func public @shift(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %one = arith.constant dense<1> : tensor<2048xi32>
  %j = arith.addi %i, %one : tensor<2048xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %j : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %x = tt.load %pi : tensor<2048x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %o, %x : tensor<2048x!tt.ptr<f32>>
  tt.return
}

//--- add.mlir
tt.func public @add(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %pi : tensor<1024x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qi = tt.addptr %qs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %y = tt.load %qi : tensor<1024x!tt.ptr<f32>>
  %s = arith.addf %x, %y : tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %s : tensor<1024x!tt.ptr<f32>>
  tt.return
}

//--- short.mlir
tt.func public @copy(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %pi : tensor<256x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %o, %x : tensor<256x!tt.ptr<f32>>
  tt.return
}

//--- softmax.mlir
tt.func public @subtract_max(%p: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %none = arith.constant dense<0xFF800000> : tensor<2048xf32>
  %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %ns = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<2048xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %pi = tt.addptr %ps, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %x = tt.load %pi, %m, %none : tensor<2048x!tt.ptr<f32>>
  %max = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.maxnumf %a, %b : f32
    tt.reduce.return %1 : f32
  }) : (tensor<2048xf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<2048xf32>
  %y = arith.subf %x, %maxs : tensor<2048xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %o = tt.addptr %os, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %o, %y, %m : tensor<2048x!tt.ptr<f32>>
  tt.return
}
