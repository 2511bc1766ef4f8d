// Deferred dots prefetch what the next iterations read, assuming that `offs %
// M` does not wrap. That remainder is computed before the loop. In the last
// iterations they prefetch what is stored after it. Tile registers are cleared
// for the first products, so that memory is cleared only without iterations.
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids -O fast_paths=all,-dot-in-place,-dot-shared,-dot-stores --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=TILES
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids -O fast_paths=all,-dot-prefetch --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// CHECK: tile program @wrapped
// CHECK: nest [32] axis
// CHECK-NEXT: materialize
// CHECK: nest [32x32] {{.*}} unless the loop runs
// CHECK: scf.for
// CHECK: materialize %[[A:[0-9]+]] in
// CHECK: materialize %[[B:[0-9]+]] in
// CHECK: dot {{.*}} every 32 prefetch %[[A]] prefetch %[[B]] prefetch %{{[0-9#]+}} from zero{{$}}
// CHECK: define i32 @
// CHECK-NOT: prefetch
// CHECK: call void @dot.bf16.32x32x32.deferred.x32.first.from.zero.prefetch.1x32x32.prefetch.32x32x1.result.1x32x2({{.*}}, i64 32, i64 32, i1 %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i64 64, ptr %
// CHECK-NOT: prefetch
// CHECK: call void @dot.bf16.32x32x32.deferred.x32.first.from.zero.prefetch.1x32x32.prefetch.32x32x1.result.1x32x2({{.*}}, ptr null, i64 0, i64 0, ptr null, i64 0, i64 0, ptr %
// CHECK-LABEL: define internal void @dot.bf16.32x32x32.deferred.x32.first.from.zero.prefetch
// CHECK: icmp ne ptr %{{.*}}, null
// CHECK-COUNT-32: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0
// CHECK-NOT: call void @llvm.prefetch
// CHECK: icmp ne ptr %{{.*}}, null
// CHECK: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0
// CHECK-COUNT-2: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 1
// CHECK-NOT: call void @llvm.prefetch
// CHECK: call void @llvm.x86.tdpbf16ps(
// CHECK-NOT: call void @llvm.prefetch

// The operands of tile registers are in place and shared, too.
// TILES: dot {{.*}} by tiles every 32 {{.*}}, left in place, right packed from memory, right shared by %
// TILES: call void @dot.bf16.32x32x32.deferred.x32.in.place

// NONE-NOT: prefetch

tt.func public @wrapped(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>, %m: i32, %pitch: i32, %rounds: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %depth = arith.constant dense<32> : tensor<32x32xi32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c32 : i32
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %starts = tt.splat %start : i32 -> tensor<32xi32>
  %offs = arith.addi %starts, %range : tensor<32xi32>
  %ms = tt.splat %m : i32 -> tensor<32xi32>
  %wrapped = arith.remsi %offs, %ms : tensor<32xi32>
  %row = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %plain = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<32x1xi32>
  %rowsA = arith.muli %row, %pitches : tensor<32x1xi32>
  %rowsB = arith.muli %plain, %pitches : tensor<32x1xi32>
  %rowsC = arith.muli %plain, %width : tensor<32x1xi32>
  %rowsA2 = tt.broadcast %rowsA : tensor<32x1xi32> -> tensor<32x32xi32>
  %rowsB2 = tt.broadcast %rowsB : tensor<32x1xi32> -> tensor<32x32xi32>
  %rowsC2 = tt.broadcast %rowsC : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsetsA = arith.addi %rowsA2, %columns2 : tensor<32x32xi32>
  %offsetsB = arith.addi %rowsB2, %columns2 : tensor<32x32xi32>
  %offsetsC = arith.addi %rowsC2, %columns2 : tensor<32x32xi32>
  %sa = tt.splat %pa : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sb = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a0 = tt.addptr %sa, %offsetsA : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %b0 = tt.addptr %sb, %offsetsB : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %c0 = tt.addptr %sc, %offsetsC : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %step = arith.muli %pitch, %c32 : i32
  %steps = tt.splat %step : i32 -> tensor<32x32xi32>
  %sums:3 = scf.for %i = %first to %rounds step %one
      iter_args(%total = %zero, %pas = %a0, %pbs = %b0)
      -> (tensor<32x32xf32>, tensor<32x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>) : i32 {
    %a = tt.load %pas : tensor<32x32x!tt.ptr<bf16>>
    %b = tt.load %pbs : tensor<32x32x!tt.ptr<bf16>>
    %next = tt.dot %a, %b, %total : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
    %pa1 = tt.addptr %pas, %depth : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
    %pb1 = tt.addptr %pbs, %steps : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
    scf.yield %next, %pa1, %pb1 : tensor<32x32xf32>, tensor<32x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>
  }
  tt.store %c0, %sums#0 : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
