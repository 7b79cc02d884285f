// test equal devices=12 seeds=2
// A slice between two paddings goes into the one before it, and that into the one behind.
module @case attributes {mhlo.num_partitions = 12 : i32} {
  sdy.mesh @mesh = <["x"=12]>
  func.func public @main(%x: tensor<6x2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}, %z: tensor<ui8>) -> (tensor<0x0xui8>, tensor<4x2xui8>) {
    %0 = stablehlo.pad %x, %z, low = [1, -1], high = [-1, -1], interior = [0, 0] : (tensor<6x2xui8>, tensor<ui8>) -> tensor<6x0xui8>
    %1 = stablehlo.slice %0 [4:6, 0:0] : (tensor<6x0xui8>) -> tensor<2x0xui8>
    %2 = stablehlo.pad %1, %z, low = [-1, 0], high = [-1, 0], interior = [0, 0] : (tensor<2x0xui8>, tensor<ui8>) -> tensor<0x0xui8>
    %3 = stablehlo.pad %x, %z, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<6x2xui8>, tensor<ui8>) -> tensor<6x2xui8>
    %4 = stablehlo.slice %3 [0:5, 0:2] : (tensor<6x2xui8>) -> tensor<5x2xui8>
    %5 = stablehlo.pad %4, %z, low = [0, 0], high = [-1, 0], interior = [0, 0] : (tensor<5x2xui8>, tensor<ui8>) -> tensor<4x2xui8>
    return %2, %5 : tensor<0x0xui8>, tensor<4x2xui8>
  }
}
