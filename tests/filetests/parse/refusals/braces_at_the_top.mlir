// test parse
// Braces at the top of a text begin resources, and nothing else.
func.func @main() {
  return
}
{ x = 1 } //~ ERROR expected a module or a function, found `{`
