// The sine of large angles is computed for the vectors that have one.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after asm -o - | FileCheck %s --check-prefix=ASM
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after asm -o - | FileCheck %s --check-prefix=AVX2

// CHECK-COUNT-3: select <16 x i1> {{.*}} !prof

// No product of integers, as large angles need it, before the branch.
// ASM: sines.cpu:
// ASM-NOT: {{vpmul|vpsrl}}
// ASM: kortestw
// ASM-NEXT: jne
// ASM: {{vpmul|vpsrl}}
// AVX2: sines.cpu:
// AVX2-NOT: {{vpmul|vpsrl}}
// AVX2: {{vtestps|vptest|vmovmskps}}
// AVX2: {{vpmul|vpsrl}}

// Small, large, and both in one vector.
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[256]=random:1:-3:3 f32[256]=zeros --save 1=%t.1.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=random:1:-3:3 f32[256]=zeros --expect 1=%t.1.npy,0,0
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[256]=random:1:-70000:70000 f32[256]=zeros --save 1=%t.2.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=random:1:-70000:70000 f32[256]=zeros --expect 1=%t.2.npy,0,0
// RUN: nereid run %s --target cpu --grid 1 -O fast_paths=none f32[256]=random:1:1e30:1e35 f32[256]=zeros --save 1=%t.3.npy
// RUN: nereid run %s --target cpu --grid 1 f32[256]=random:1:1e30:1e35 f32[256]=zeros --expect 1=%t.3.npy,0,0
tt.func public @sines(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %px : tensor<256x!tt.ptr<f32>>
  %s = math.sin %v : tensor<256xf32>
  tt.store %py, %s : tensor<256x!tt.ptr<f32>>
  tt.return
}
