// test parse
// A module in the generic form has a name and nothing else among its properties.
"builtin.module"() <{sym_name = "m", sym_visibility = "public"}> ({ //~ ERROR a module has no property `sym_visibility`
}) : () -> ()
