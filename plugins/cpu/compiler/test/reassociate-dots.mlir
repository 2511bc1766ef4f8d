// Without `reassociate` a dot of bf16 adds its products in the order of K, one
// after the other: instructions that add two products at once, or even and odd
// ones apart, are left out. Products of integers are the same in any order.
// RUN: nereid compile %s --target cpu -O cpu=znver4 -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefix=ORDERED
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids -O reassociate=false --stop-after llir -o - | FileCheck %s --check-prefixes=ORDERED,BYTES
// RUN: nereid compile %s --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s --check-prefix=PAIRS
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=TILES
// RUN: nereid run %s --target cpu -O reassociate=false --grid 1 bf16[512]=random:1 bf16[512]=random:2 f32[256]=zeros i8[1024]=zeros i8[1024]=zeros i32[256]=zeros

// ORDERED: tile program @products
// ORDERED-NOT: dpbf16ps
// BYTES: call void @llvm.x86.tdpbssd(
// PAIRS: dpbf16ps
// TILES: call void @llvm.x86.tdpbf16ps(

tt.func public @products(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>, %qa: !tt.ptr<i8>, %qb: !tt.ptr<i8>, %qc: !tt.ptr<i32>) {
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %k16 = arith.constant dense<16> : tensor<32x1xi32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %krow = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %kcolumn = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a0 = arith.muli %row, %c32 : tensor<16x1xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1xi32> -> tensor<16x32xi32>
  %a2 = tt.broadcast %kcolumn : tensor<1x32xi32> -> tensor<16x32xi32>
  %aAt = arith.addi %a1, %a2 : tensor<16x32xi32>
  %b0 = arith.muli %krow, %k16 : tensor<32x1xi32>
  %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x16xi32>
  %b2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<32x16xi32>
  %bAt = arith.addi %b1, %b2 : tensor<32x16xi32>
  %c0 = arith.muli %row, %c16 : tensor<16x1xi32>
  %c1 = tt.broadcast %c0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %cAt = arith.addi %c1, %c2 : tensor<16x16xi32>

  %pas = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x32x!tt.ptr<bf16>>
  %paAt = tt.addptr %pas, %aAt : tensor<16x32x!tt.ptr<bf16>>, tensor<16x32xi32>
  %a = tt.load %paAt : tensor<16x32x!tt.ptr<bf16>>
  %pbs = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x16x!tt.ptr<bf16>>
  %pbAt = tt.addptr %pbs, %bAt : tensor<32x16x!tt.ptr<bf16>>, tensor<32x16xi32>
  %b = tt.load %pbAt : tensor<32x16x!tt.ptr<bf16>>
  %start = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = tt.dot %a, %b, %start : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
  %pcs = tt.splat %pc : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %pcAt = tt.addptr %pcs, %cAt : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %pcAt, %c : tensor<16x16x!tt.ptr<f32>>

  // Element [2, 3], added up by hand.
  %lo = arith.constant 0 : i32
  %hi = arith.constant 32 : i32
  %step = arith.constant 1 : i32
  %n16 = arith.constant 16 : i32
  %n64 = arith.constant 64 : i32
  %n3 = arith.constant 3 : i32
  %z = arith.constant 0.0 : f32
  %expected = scf.for %j = %lo to %hi step %step iter_args(%s = %z) -> (f32) : i32 {
    %xo = arith.addi %j, %n64 : i32
    %xp = tt.addptr %pa, %xo : !tt.ptr<bf16>, i32
    %x = tt.load %xp : !tt.ptr<bf16>
    %yj = arith.muli %j, %n16 : i32
    %yo = arith.addi %yj, %n3 : i32
    %yp = tt.addptr %pb, %yo : !tt.ptr<bf16>, i32
    %y = tt.load %yp : !tt.ptr<bf16>
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %xy = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %xy : f32
    scf.yield %t : f32
  }
  %at = arith.constant 35 : i32
  %found = tt.addptr %pc, %at : !tt.ptr<f32>, i32
  %value = tt.load %found : !tt.ptr<f32>
  %same = arith.cmpf oeq, %value, %expected : f32
  tt.assert %same, "products are added in another order" : i1

  %qas = tt.splat %qa : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>>
  %qaAt = tt.addptr %qas, %aAt : tensor<16x32x!tt.ptr<i8>>, tensor<16x32xi32>
  %d = tt.load %qaAt : tensor<16x32x!tt.ptr<i8>>
  %qbs = tt.splat %qb : !tt.ptr<i8> -> tensor<32x16x!tt.ptr<i8>>
  %qbAt = tt.addptr %qbs, %bAt : tensor<32x16x!tt.ptr<i8>>, tensor<32x16xi32>
  %e = tt.load %qbAt : tensor<32x16x!tt.ptr<i8>>
  %none = arith.constant dense<0> : tensor<16x16xi32>
  %f = tt.dot %d, %e, %none : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %qcs = tt.splat %qc : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %qcAt = tt.addptr %qcs, %cAt : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  tt.store %qcAt, %f : tensor<16x16x!tt.ptr<i32>>
  tt.return
}
