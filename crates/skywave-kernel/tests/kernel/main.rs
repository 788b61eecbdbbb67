//! The program for the kernel: what its source gives, and what a kernel does with it.

#[cfg(all(target_os = "linux", feature = "load"))]
mod loaded;
mod object;
