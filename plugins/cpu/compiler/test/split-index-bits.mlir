// Words of eight numbers of four bits, as of quantized weights: element i is in
// word i // 8, from its bit i % 8 * 4 on, and is scaled by one number for 16.
// The lanes of a word load it once. The index has 64 bits.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// DEFINE: %{inputs} = i32[256]=random:1 f32[128]=random:2 f32[2048]=zeros
// RUN: nereid run %s --target cpu --grid 4 --no-cache -O fast_paths=none %{inputs} --save 2=%t.npy
// RUN: nereid run %s --target cpu --grid 4 --no-cache %{inputs} --expect 2=%t.npy,0,0

// CHECK: where no index overflows
// CHECK-NOT: pieces
// CHECK: nest [32x16] axis 1 lanes 8
// CHECK: elsewhere
// CHECK-NOT: gather
// CHECK: lshr <8 x i32>

tt.func public @unpack(%words: !tt.ptr<i32>, %scales: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c512 = arith.constant 512 : i64
  %c4 = arith.constant dense<4> : tensor<512xi32>
  %c8 = arith.constant dense<8> : tensor<512xi64>
  %c15 = arith.constant dense<15> : tensor<512xi32>
  %c16 = arith.constant dense<16> : tensor<512xi64>
  %program = tt.get_program_id x : i32
  %wide = arith.extsi %program : i32 to i64
  %first = arith.muli %wide, %c512 : i64
  %firsts = tt.splat %first : i64 -> tensor<512xi64>
  %own = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %ownWide = arith.extsi %own : tensor<512xi32> to tensor<512xi64>
  %index = arith.addi %firsts, %ownWide : tensor<512xi64>
  %word = arith.divsi %index, %c8 : tensor<512xi64>
  %nibble = arith.remsi %index, %c8 : tensor<512xi64>
  %group = arith.divsi %index, %c16 : tensor<512xi64>
  %allWords = tt.splat %words : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %from = tt.addptr %allWords, %word : tensor<512x!tt.ptr<i32>>, tensor<512xi64>
  %packed = tt.load %from : tensor<512x!tt.ptr<i32>>
  %nibbleNarrow = arith.trunci %nibble : tensor<512xi64> to tensor<512xi32>
  %bit = arith.muli %nibbleNarrow, %c4 : tensor<512xi32>
  %shifted = arith.shrui %packed, %bit : tensor<512xi32>
  %number = arith.andi %shifted, %c15 : tensor<512xi32>
  %float = arith.sitofp %number : tensor<512xi32> to tensor<512xf32>
  %allScales = tt.splat %scales : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %scaleAt = tt.addptr %allScales, %group : tensor<512x!tt.ptr<f32>>, tensor<512xi64>
  %scale = tt.load %scaleAt : tensor<512x!tt.ptr<f32>>
  %scaled = arith.mulf %float, %scale : tensor<512xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.addptr %outs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi64>
  tt.store %to, %scaled : tensor<512x!tt.ptr<f32>>
  tt.return
}
