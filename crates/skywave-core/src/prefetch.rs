//! Prefetching: the processor loads memory into its cache before the program reads it. This changes no result. It
//! saves time where a run uses more memory than the cache holds.

use std::ops::Range;

/// Bytes of a cache line on x86-64, the only architecture with prefetching here.
pub const LINE: usize = 64;

/// Prefetches the cache lines in which `value` lies, on x86-64. `value` must begin at the start of a cache line, or
/// lie within a single one; otherwise the last line may be missed.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_bytes(value, 0..size_of::<T>());
}

/// Prefetches the cache lines in which these bytes of `value` lie, on x86-64. `value` must begin at the
/// start of a cache line, or lie within a single one; otherwise the last line may be missed.
#[inline(always)]
pub fn prefetch_bytes<T>(value: &T, bytes: Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.start / LINE..bytes.end.div_ceil(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(value)
            .cast::<i8>()
            .wrapping_add(line * LINE);
        #[expect(unsafe_code, reason = "there is no other way to prefetch")]
        // SAFETY: a prefetch reads nothing that the program could see, and may be given any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, bytes, LINE);
}
