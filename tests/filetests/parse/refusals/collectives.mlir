// test parse
// A collective is refused where its groups, pairs or channel do not read.
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<8xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1, 2]> : tensor<3xi64>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `source_target_pairs` must be pairs of devices
  %1 = "stablehlo.collective_broadcast"(%a) <{replica_groups = 3}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `replica_groups` must be lists of devices, or axes of a mesh
  %2 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `replica_groups` must be a tensor of two dims with a group in each row
  %3 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `replica_groups` must be lists of device numbers
  %4 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = 3, axes = []>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `mesh` must be a mesh as `@mesh`
  %5 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = []>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR no mesh `@other` is declared above
  %6 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = 3>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `axes` must be a list of axes
  %7 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [3]>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `axes` must be a list of #stablehlo.axis_ref<..>
  %8 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR mesh `mesh` has no axis `z`
  %9 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)3>]>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR (1)3 is not a part of an axis of size 4
  %10 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #other.groups<1>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `replica_groups` must be #stablehlo.replica_group_mesh_axes<..>
  %11 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {meshwright.reduce_in = f32} : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR attribute `meshwright.reduce_in` must be an element type in quotes
  %12 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0, kind = 1>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR stablehlo.collective_broadcast has no field `kind`
  %13 = "stablehlo.collective_broadcast"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [], axis = 1>}> : (tensor<8xf32>) -> tensor<8xf32> //~ ERROR stablehlo.collective_broadcast has no field `axis`
  return
}
