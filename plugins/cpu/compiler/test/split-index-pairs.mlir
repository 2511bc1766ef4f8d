// Pairs of neighbours that read one element, of a row whose length is no power of
// two, as where an image is enlarged: `i % 112 // 2` and `i // 112 // 2`. Rows
// of fewer than 16 elements get no loop of their own: lanes repeat what is
// loaded, as much as they need. Under a mask that ends within a pair, lanes are
// loaded one by one.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// DEFINE: %{grid} = 4
// DEFINE: %{count} = 2047
// DEFINE: %{inputs} = f32[1000]=random:1 f32[2048]=zeros i32=%{count}
// DEFINE: %{check} = nereid run %s --target cpu --grid %{grid} --no-cache -O fast_paths=none %{inputs} --save 1=%t.npy && nereid run %s --target cpu --grid %{grid} --no-cache %{inputs} --expect 1=%t.npy,0,0
// RUN: %{check}
// REDEFINE: %{count} = 2048
// RUN: %{check}
// REDEFINE: %{count} = 5
// RUN: %{check}

// CHECK: where no index overflows
// CHECK: copy %[[PAIRS:[0-9]+]] to {{.*}} if {{.*}} overlaps
// CHECK: nest [32x16] axis 1 lanes 8
// CHECK: store %[[PAIRS]]
// CHECK: elsewhere
// CHECK: %[[HALF:.*]] = load <4 x float>
// CHECK: shufflevector <4 x float> %[[HALF]], <4 x float> poison, <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
// WIDE: load <8 x float>
// WIDE: <16 x i32> <i32 0, i32 0, i32 1, i32 1,

tt.func public @enlarge(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c512 = arith.constant 512 : i32
  %c112 = arith.constant dense<112> : tensor<512xi32>
  %c56 = arith.constant dense<56> : tensor<512xi32>
  %c2 = arith.constant dense<2> : tensor<512xi32>
  %program = tt.get_program_id x : i32
  %first = arith.muli %program, %c512 : i32
  %firsts = tt.splat %first : i32 -> tensor<512xi32>
  %own = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %index = arith.addi %firsts, %own : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %index, %ns : tensor<512xi32>
  %row = arith.divsi %index, %c112 : tensor<512xi32>
  %column = arith.remsi %index, %c112 : tensor<512xi32>
  %rowOfPair = arith.divsi %row, %c2 : tensor<512xi32>
  %columnOfPair = arith.divsi %column, %c2 : tensor<512xi32>
  %start = arith.muli %rowOfPair, %c56 : tensor<512xi32>
  %at = arith.addi %start, %columnOfPair : tensor<512xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %from = tt.addptr %ins, %at : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %x = tt.load %from, %mask : tensor<512x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.addptr %outs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %to, %x, %mask : tensor<512x!tt.ptr<f32>>
  tt.return
}
