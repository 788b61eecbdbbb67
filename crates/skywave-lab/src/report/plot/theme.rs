//! Colours and type of plots, light and dark.

/// Number of colours; further series repeat them with another dash.
pub(super) const COLOURS: usize = 8;

/// The style sheet of plots. A page with inline plots has it once; a plot on its own carries it.
///
/// The colours are Okabe and Ito's, which people with the common colour blindnesses tell apart,
/// darkened or lightened where they would be faint on white or black.
pub const STYLE: &str = "\
.sw-plot{--ink:#222;--soft:#5c5c5c;--grid:#e4e4e4;--paper:#fff;\
--s0:#0072b2;--s1:#d55e00;--s2:#00936b;--s3:#b5508a;--s4:#b98500;--s5:#222;--s6:#3a9ad9;--s7:#8c564b;\
font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',Arial,sans-serif}\
@media(prefers-color-scheme:dark){.sw-plot{--ink:#e6e6e6;--soft:#a8a8a8;--grid:#383838;--paper:#16181b;\
--s0:#4fb0e8;--s1:#ff8c42;--s2:#35c99d;--s3:#e69bc6;--s4:#ecc04a;--s5:#eee;--s6:#9bd5ff;--s7:#cfa194}}\
@media print{.sw-plot{--ink:#000;--soft:#444;--grid:#ddd;--paper:#fff;\
--s0:#0072b2;--s1:#d55e00;--s2:#00936b;--s3:#b5508a;--s4:#b98500;--s5:#222;--s6:#3a9ad9;--s7:#8c564b}}\
.sw-plot text{fill:var(--ink);font-variant-numeric:tabular-nums}\
.sw-plot .t{fill:var(--soft)}.sw-plot .h{font-weight:600;font-size:14px}\
.sw-plot .g{stroke:var(--grid);fill:none}.sw-plot .a{stroke:var(--soft);fill:none}\
.sw-plot .c0{color:var(--s0)}.sw-plot .c1{color:var(--s1)}.sw-plot .c2{color:var(--s2)}\
.sw-plot .c3{color:var(--s3)}.sw-plot .c4{color:var(--s4)}.sw-plot .c5{color:var(--s5)}\
.sw-plot .c6{color:var(--s6)}.sw-plot .c7{color:var(--s7)}\
.sw-plot .l{stroke:currentColor;fill:none;stroke-width:1.6;stroke-linejoin:round}\
.sw-plot .n{stroke-width:1}\
.sw-plot .e{stroke:currentColor;fill:none;stroke-width:1.1}\
.sw-plot .m{fill:currentColor;stroke:var(--paper);stroke-width:.8}\
.sw-plot .d{fill:currentColor}\
.sw-plot .x{stroke:currentColor;fill:none;stroke-width:1.8}";
