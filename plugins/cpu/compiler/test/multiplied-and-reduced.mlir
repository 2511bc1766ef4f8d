// Between the exponentials of a block and their sums, attention computes what
// scales the old sums. One nest computes the exponentials, adds them and rounds
// them for the product nevertheless. The instruction for that takes subnormal
// numbers for 0, and so does the product; what is stored is rounded exactly.
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu -O cpu=znver4 -O fast_paths=all,-fuse --stop-after llir -o - | FileCheck %s --check-prefix=APART

// CHECK: nest {{\[16x32\]}} axis 1 lanes 16
// CHECK-NEXT: reduce [[P:%[0-9]+]] -> [[SUM:%[0-9]+]]
// CHECK-NEXT: materialize [[ROUNDED:%[0-9]+]] in
// CHECK-NOT: materialize [[P]]
// CHECK: nest {{\[16\]}}
// CHECK-NEXT: store
// CHECK: dot [[ROUNDED]]
// CHECK: call <16 x float> @llvm.x86.avx512.mask.reduce.ps.512
// CHECK: fptrunc <16 x float> {{.*}} to <16 x bfloat>
// CHECK-NOT: fptrunc
// CHECK: lshr <16 x i32>

// Without the instruction, the product is one of f32 that were rounded.
// WIDE: nest {{\[16x32\]}}
// WIDE-NEXT: reduce [[P:%[0-9]+]] -> [[SUM:%[0-9]+]]
// WIDE-NEXT: materialize [[ROUNDED:%[0-9]+]] in
// WIDE: nest {{\[16\]}}
// WIDE-NEXT: store
// WIDE: dot [[ROUNDED]]
// WIDE: call <16 x float> @llvm.x86.avx512.mask.reduce.ps.512
// WIDE-NOT: fptrunc

// APART: nest {{\[16x32\]}}
// APART-NEXT: materialize [[P:%[0-9]+]] in
// APART: reduce [[P]] ->

tt.func public @attention(%ps: !tt.ptr<f32>, %pv: !tt.ptr<bf16>, %po: !tt.ptr<f32>, %pm: !tt.ptr<f32>, %pq: !tt.ptr<bf16>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %n = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %d16 = arith.constant dense<16> : tensor<32x1xi32>
  %rows = arith.muli %row, %c32 : tensor<16x1xi32>
  %rs = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x32xi32>
  %cs = tt.broadcast %column : tensor<1x32xi32> -> tensor<16x32xi32>
  %offs = arith.addi %rs, %cs : tensor<16x32xi32>
  %base = tt.splat %ps : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %at = tt.addptr %base, %offs : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  %s = tt.load %at : tensor<16x32x!tt.ptr<f32>>
  %mbase = tt.splat %pm : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %mat = tt.addptr %mbase, %m : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %old = tt.load %mat : tensor<16x!tt.ptr<f32>>
  %oldrow = tt.expand_dims %old {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %olds = tt.broadcast %oldrow : tensor<16x1xf32> -> tensor<16x32xf32>
  %less = arith.subf %s, %olds : tensor<16x32xf32>
  %p = math.exp2 %less : tensor<16x32xf32>
  %scale = math.exp2 %old : tensor<16xf32>
  tt.store %mat, %scale : tensor<16x!tt.ptr<f32>>
  %sum = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %a, %b : f32
    tt.reduce.return %add : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  %nrow = tt.expand_dims %n {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %mcolumn = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %nrows = arith.muli %nrow, %d16 : tensor<32x1xi32>
  %nrs = tt.broadcast %nrows : tensor<32x1xi32> -> tensor<32x16xi32>
  %mcs = tt.broadcast %mcolumn : tensor<1x16xi32> -> tensor<32x16xi32>
  %voffs = arith.addi %nrs, %mcs : tensor<32x16xi32>
  %vbase = tt.splat %pv : !tt.ptr<bf16> -> tensor<32x16x!tt.ptr<bf16>>
  %vat = tt.addptr %vbase, %voffs : tensor<32x16x!tt.ptr<bf16>>, tensor<32x16xi32>
  %v = tt.load %vat : tensor<32x16x!tt.ptr<bf16>>
  %rounded = arith.truncf %p : tensor<16x32xf32> to tensor<16x32xbf16>
  %o = tt.dot %rounded, %v, %zero : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
  %sumrow = tt.expand_dims %sum {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %sums = tt.broadcast %sumrow : tensor<16x1xf32> -> tensor<16x16xf32>
  %result = arith.divf %o, %sums : tensor<16x16xf32>
  %orows = arith.muli %row, %c16 : tensor<16x1xi32>
  %ors = tt.broadcast %orows : tensor<16x1xi32> -> tensor<16x16xi32>
  %mcs16 = tt.broadcast %mcolumn : tensor<1x16xi32> -> tensor<16x16xi32>
  %ooffs = arith.addi %ors, %mcs16 : tensor<16x16xi32>
  %obase = tt.splat %po : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %oat = tt.addptr %obase, %ooffs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %oat, %result : tensor<16x16x!tt.ptr<f32>>
  %qbase = tt.splat %pq : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>>
  %qat = tt.addptr %qbase, %ooffs : tensor<16x16x!tt.ptr<bf16>>, tensor<16x16xi32>
  %q = arith.truncf %result : tensor<16x16xf32> to tensor<16x16xbf16>
  tt.store %qat, %q : tensor<16x16x!tt.ptr<bf16>>
  tt.return
}
