// test parse
// Functions and meshes are refused where a name is given twice, and a module where it holds another.
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @mesh = <["y"=4]> //~ ERROR mesh `@mesh` is declared twice
  func.func @main(%a: tensor<4xf32>) {
    return
  }
  func.func @main() { //~ ERROR function `@main` is defined twice
    return
  }
  func.func @f(tensor<4xf32>) { //~ ERROR expected a parameter as `%arg0: tensor<f32>`, found `tensor`
    return
  }
  func.func @g(%a: tensor<4xf32>) {
    return
  }
  module { //~ ERROR modules inside of modules are not supported
  }
}
