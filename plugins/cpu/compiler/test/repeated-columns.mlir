// What is costly to compute for each column is computed once, not for each row:
// values that depend on memory, and floats. Cheap ones are not kept.
// RUN: split-file %s %t
// RUN: nereid compile %t/loaded.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefixes=COLUMNS
// RUN: nereid compile %t/computed.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefixes=COLUMNS
// RUN: nereid compile %t/cheap.mlir --target cpu --stop-after llir -o - | FileCheck %s --check-prefixes=CHEAP

// COLUMNS: nest {{\[32\]}}
// COLUMNS-NEXT: materialize %{{.*}} in b0
// COLUMNS-NEXT: nest {{\[8x32\]}}
// COLUMNS-NEXT: store
// CHEAP: tile program
// CHEAP-NOT: materialize
// CHEAP: store

//--- loaded.mlir
tt.func public @loaded(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %two = arith.constant dense<2.0> : tensor<32xf32>
  %rowLength = arith.constant dense<32> : tensor<8x1xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %froms = tt.splat %from : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %places = tt.addptr %froms, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %places : tensor<32x!tt.ptr<f32>>
  %exp = math.exp %x : tensor<32xf32>
  %y = arith.divf %two, %exp : tensor<32xf32>
  %row = tt.expand_dims %y {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %tile = tt.broadcast %row : tensor<1x32xf32> -> tensor<8x32xf32>
  %rows = tt.expand_dims %j {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %starts = arith.muli %rows, %rowLength : tensor<8x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<8x32xi32>
  %offsets = arith.addi %a, %b : tensor<8x32xi32>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %out = tt.addptr %tos, %offsets : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  tt.store %out, %tile : tensor<8x32x!tt.ptr<f32>>
  tt.return
}

//--- computed.mlir
tt.func public @computed(%to: !tt.ptr<f32>) {
  %rowLength = arith.constant dense<32> : tensor<8x1xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %x = arith.sitofp %i : tensor<32xi32> to tensor<32xf32>
  %y = math.exp %x : tensor<32xf32>
  %row = tt.expand_dims %y {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %tile = tt.broadcast %row : tensor<1x32xf32> -> tensor<8x32xf32>
  %rows = tt.expand_dims %j {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %starts = arith.muli %rows, %rowLength : tensor<8x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<8x32xi32>
  %offsets = arith.addi %a, %b : tensor<8x32xi32>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %out = tt.addptr %tos, %offsets : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  tt.store %out, %tile : tensor<8x32x!tt.ptr<f32>>
  tt.return
}

//--- cheap.mlir
tt.func public @cheap(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %two = arith.constant dense<2.0> : tensor<32xf32>
  %rowLength = arith.constant dense<32> : tensor<8x1xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %froms = tt.splat %from : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %places = tt.addptr %froms, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %x = tt.load %places : tensor<32x!tt.ptr<f32>>
  %y = arith.mulf %x, %two : tensor<32xf32>
  %row = tt.expand_dims %y {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %tile = tt.broadcast %row : tensor<1x32xf32> -> tensor<8x32xf32>
  %rows = tt.expand_dims %j {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %starts = arith.muli %rows, %rowLength : tensor<8x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a = tt.broadcast %starts : tensor<8x1xi32> -> tensor<8x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<8x32xi32>
  %offsets = arith.addi %a, %b : tensor<8x32xi32>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %out = tt.addptr %tos, %offsets : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  tt.store %out, %tile : tensor<8x32x!tt.ptr<f32>>
  tt.return
}
