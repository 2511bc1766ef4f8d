// Offsets of 8 and 16 bits that wrap address memory of the program: they are
// extended as they are.
// DEFINE: %{run} = nereid run %s --target cpu --grid 1 i16[512]=range f32[2048]=zeros i16=20000
// RUN: %{run} -O fast_paths=none --save 1=%t.npy
// RUN: %{run} --expect 1=%t.npy,0,0
// RUN: nereid compile %s --target cpu --stop-after llir -o - | FileCheck %s

// CHECK-DAG: sext <{{[0-9]+}} x i16>
// CHECK-DAG: sext i16

tt.func public @narrow_offsets(%p: !tt.ptr<i16>, %out: !tt.ptr<f32>, %n: i16) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %from = tt.splat %p : !tt.ptr<i16> -> tensor<512x!tt.ptr<i16>>
  %a = tt.addptr %from, %i : tensor<512x!tt.ptr<i16>>, tensor<512xi32>
  %x = tt.load %a : tensor<512x!tt.ptr<i16>>
  // 16384 + x, times 4, is 4 x.
  %high = arith.constant dense<16384> : tensor<512xi16>
  %four = arith.constant dense<4> : tensor<512xi16>
  %sum = arith.addi %x, %high : tensor<512xi16>
  %offset = arith.muli %sum, %four : tensor<512xi16>
  %wide = arith.extsi %offset : tensor<512xi16> to tensor<512xi32>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %b = tt.addptr %to, %wide : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %value = arith.sitofp %x : tensor<512xi16> to tensor<512xf32>
  tt.store %b, %value : tensor<512x!tt.ptr<f32>>

  // 20000 * 16 + 7681 is 1 in 16 bits.
  %c16 = arith.constant 16 : i16
  %c7681 = arith.constant 7681 : i16
  %times = arith.muli %n, %c16 : i16
  %one = arith.addi %times, %c7681 : i16
  %offset1 = arith.extsi %one : i16 to i32
  %q = tt.addptr %out, %offset1 : !tt.ptr<f32>, i32
  %v = arith.constant 5.0 : f32
  tt.store %q, %v : !tt.ptr<f32>
  tt.return
}
