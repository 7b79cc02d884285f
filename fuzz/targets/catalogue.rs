//! Catalogues of gettext.

#![no_main]

meshwright_fuzz::attack!("catalogue");
