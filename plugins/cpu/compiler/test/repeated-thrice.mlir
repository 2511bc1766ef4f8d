// Packed integers that are interleaved with themselves three times: eight lanes
// have the same one, which is loaded once for all of them.
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefixes=ALL,EIGHT
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefixes=ALL,SIXTEEN
// RUN: nereid run %s --target cpu --grid 1 --no-cache -O fast_paths=none i32[16]=random:1 i32[128]=zeros --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 --no-cache i32[16]=random:1 i32[128]=zeros --expect 1=%t.npy,0,0

// EIGHT: nest {{\[128\]}} axis 0 lanes 8
// SIXTEEN: nest {{\[128\]}} axis 0 lanes 16
// ALL-NOT: gather
// EIGHT: load i32
// SIXTEEN: load <2 x i32>
// ALL-NOT: gather
tt.func public @unpack(%from: !tt.ptr<i32>, %to: !tt.ptr<i32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %places = tt.addptr %froms, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %x = tt.load %places : tensor<16x!tt.ptr<i32>>
  %a = tt.join %x, %x : tensor<16xi32> -> tensor<16x2xi32>
  %two = tt.reshape %a : tensor<16x2xi32> -> tensor<32xi32>
  %b = tt.join %two, %two : tensor<32xi32> -> tensor<32x2xi32>
  %four = tt.reshape %b : tensor<32x2xi32> -> tensor<64xi32>
  %c = tt.join %four, %four : tensor<64xi32> -> tensor<64x2xi32>
  %eight = tt.reshape %c : tensor<64x2xi32> -> tensor<128xi32>
  %seven = arith.constant dense<7> : tensor<128xi32>
  %four_bits = arith.constant dense<4> : tensor<128xi32>
  %fifteen = arith.constant dense<15> : tensor<128xi32>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %low = arith.andi %j, %seven : tensor<128xi32>
  %shift = arith.muli %low, %four_bits : tensor<128xi32>
  %shifted = arith.shrui %eight, %shift : tensor<128xi32>
  %y = arith.andi %shifted, %fifteen : tensor<128xi32>
  %tos = tt.splat %to : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %out = tt.addptr %tos, %j : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %out, %y : tensor<128x!tt.ptr<i32>>
  tt.return
}
