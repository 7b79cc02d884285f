// test collectives
// test collectives priorities-alone
// test equal seeds=2
// Features lie over `y` on rows and on weights, so each device along `y` has a part of each logit. Nobody says that logits be
// split over `y`: all of them would be added up on every device. Split by columns, each device needs whole rows and its columns
// of the weights, and what follows is computed in pieces.
module {
  sdy.mesh @m = <["d"=2, "y"=4]>
  func.func public @main(%x: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {"y"}]>}, %w: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %logits = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    %e = stablehlo.exponential %logits : tensor<512x1024xf32>
    %rows = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<512xf32>
    %log = stablehlo.log %rows : tensor<512xf32>
    %loss = stablehlo.reduce(%log init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
//| --- collectives
//| 1 all-gather over {"y"}: 49152 bytes
//| 1 all-reduce over {"d"}: 4 bytes
//| 1 all-reduce over {"y"}: 1536 bytes
//| 1 all-to-all over {"y"}: 49152 bytes
//| 8388608 flops in contractions
//| --- collectives priorities-alone
//| 1 all-reduce over {"d"}: 4 bytes
//| 1 all-reduce over {"y"}: 1572864 bytes
//| 8388608 flops in contractions
//| --- equal seeds=2
