// test collectives devices=4
// test equal devices=4 seeds=3
// The shifting buffer of a pipeline (GSPMD 3.3) and its gradient, as frameworks write them: five rows are never laid
// out.
sdy.mesh @m = <["stage"=4]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}, %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"stage"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %a, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  %s = stablehlo.slice %p [0:4, 0:8] : (tensor<5x8xf32>) -> tensor<4x8xf32>
  %q = stablehlo.pad %b, %z, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  %t = stablehlo.pad %q, %z, low = [-1, 0], high = [0, 0], interior = [0, 0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %s, %t : tensor<4x8xf32>, tensor<4x8xf32>
}
//| --- collectives devices=4
//| 2 permute: 64 bytes
//| 0 flops in contractions
//| --- equal devices=4 seeds=3
