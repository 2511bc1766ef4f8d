// Dots of i8 use the instruction that adds most products to an i32: four bytes
// where there is one, else two i16. Where its right bytes are unsigned, 128 is
// added to them, and 128 times the sums of the left rows is subtracted.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefixes=PAIRS,AVX2
// RUN: nereid compile %s --target cpu:x86_64:x86-64 --stop-after llir -o - | FileCheck %s --check-prefixes=PAIRS,SSE2
// RUN: nereid compile %s --target cpu:x86_64:skylake-avx512 --stop-after llir -o - | FileCheck %s --check-prefixes=PAIRS,AVX512
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O vector_bits=512 --stop-after llir -o - | FileCheck %s --check-prefixes=PAIRS,AVX2
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s --check-prefixes=BYTES,VNNI512
// RUN: nereid compile %s --target cpu:x86_64:cascadelake --stop-after llir -o - | FileCheck %s --check-prefixes=BYTES,VNNI512
// RUN: nereid compile %s --target cpu:x86_64:alderlake --stop-after llir -o - | FileCheck %s --check-prefixes=BYTES,VNNI256
// RUN: nereid compile %s --target cpu:x86_64:znver4 -O vector_bits=256 --stop-after llir -o - | FileCheck %s --check-prefixes=BYTES,VNNI256
// RUN: nereid compile %s --target cpu:x86_64:sierraforest --stop-after llir -o - | FileCheck %s --check-prefix=SIGNED
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=TILES
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids -O fast_paths=all,-dot-tiles --stop-after llir -o - | FileCheck %s --check-prefixes=BYTES,VNNI512
// RUN: nereid compile %s --target cpu:aarch64:neoverse-n1 --stop-after llir -o - | FileCheck %s --check-prefix=ARM
// RUN: nereid compile %s --target cpu:aarch64:neoverse-v1 --stop-after llir -o - | FileCheck %s --check-prefix=ARM
// RUN: nereid compile %s --target cpu:aarch64:generic --stop-after llir -o - | FileCheck %s --check-prefix=F32
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 -O fast_paths=all,-dot-integers --stop-after llir -o - | FileCheck %s --check-prefix=F32
// The instructions of each:
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after asm -o - | FileCheck %s --check-prefix=ASM-PAIRS
// RUN: nereid compile %s --target cpu:x86_64:cascadelake --stop-after asm -o - | FileCheck %s --check-prefix=ASM-VNNI
// RUN: nereid compile %s --target cpu:x86_64:alderlake --stop-after asm -o - | FileCheck %s --check-prefix=ASM-AVXVNNI
// RUN: nereid compile %s --target cpu:aarch64:neoverse-n1 --stop-after asm -o - | FileCheck %s --check-prefix=ASM-ARM

// PAIRS: {{\[32x16\]}} i16
// PAIRS: dot {{.*}} packed in b{{.*}} by vpmaddwd
// SSE2: call <4 x i32> @llvm.x86.sse2.pmadd.wd(
// AVX2: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
// AVX512: call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(

// BYTES: {{\[32x16\]}} i8
// BYTES: dot {{.*}} packed in b{{.*}} by vpdpbusd
// BYTES: xor <{{.*}} x i8> {{.*}}<i8 -128,
// VNNI512: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> zeroinitializer, <8 x i32> <i32 -2139062144,
// VNNI512: call i32 @llvm.vector.reduce.add.v8i32(
// VNNI512: sub <16 x i32>
// VNNI512: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
// VNNI256: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> zeroinitializer, <8 x i32> <i32 -2139062144,
// VNNI256: call i32 @llvm.vector.reduce.add.v8i32(
// VNNI256: sub <8 x i32>
// VNNI256: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(

// SIGNED: dot {{.*}} by vpdpbssd
// SIGNED-NOT: sub <
// SIGNED: call <8 x i32> @llvm.x86.avx2.vpdpbssd.256(

// TILES: {{\[32x16\]}} i8
// TILES: dot {{.*}} by tiles
// TILES: call void @llvm.x86.tdpbssd(

// ARM: dot {{.*}} by sdot
// ARM: call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(

// F32: {{\[32x16\]}} f32
// F32-NOT: packed

// ASM-PAIRS: vpmaddwd %ymm
// ASM-VNNI: vpdpbusd {{.*}}%zmm
// ASM-AVXVNNI: {vex}{{[[:space:]]}}vpdpbusd {{.*}}%ymm
// ASM-ARM: sdot

tt.func public @product(%pa: !tt.ptr<i8>, %pb: !tt.ptr<i8>, %pc: !tt.ptr<i32>) {
  %sum = arith.constant dense<0> : tensor<16x16xi32>
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %stride = arith.constant dense<16> : tensor<16x1xi32>
  %stridek = arith.constant dense<16> : tensor<32x1xi32>
  %strideA = arith.constant dense<32> : tensor<16x1xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %krow = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %kcolumn = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a0 = arith.muli %row, %strideA : tensor<16x1xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1xi32> -> tensor<16x32xi32>
  %a2 = tt.broadcast %kcolumn : tensor<1x32xi32> -> tensor<16x32xi32>
  %a3 = arith.addi %a1, %a2 : tensor<16x32xi32>
  %a4 = tt.splat %pa : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>>
  %a5 = tt.addptr %a4, %a3 : tensor<16x32x!tt.ptr<i8>>, tensor<16x32xi32>
  %a = tt.load %a5 : tensor<16x32x!tt.ptr<i8>>
  %b0 = arith.muli %krow, %stridek : tensor<32x1xi32>
  %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x16xi32>
  %b2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<32x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<32x16xi32>
  %b4 = tt.splat %pb : !tt.ptr<i8> -> tensor<32x16x!tt.ptr<i8>>
  %b5 = tt.addptr %b4, %b3 : tensor<32x16x!tt.ptr<i8>>, tensor<32x16xi32>
  %b = tt.load %b5 : tensor<32x16x!tt.ptr<i8>>
  %c = tt.dot %a, %b, %sum : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %c0 = arith.muli %row, %stride : tensor<16x1xi32>
  %c1 = tt.broadcast %c0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %c3 = arith.addi %c1, %c2 : tensor<16x16xi32>
  %c4 = tt.splat %pc : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %c5 = tt.addptr %c4, %c3 : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  tt.store %c5, %c : tensor<16x16x!tt.ptr<i32>>
  tt.return
}
