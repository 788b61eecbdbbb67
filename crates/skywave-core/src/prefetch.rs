//! Memory that will be needed soon, fetched before it is. Results do not depend on it: it only saves waiting, where
//! there is more than the cache holds.

use std::ops::Range;

/// Bytes of a cache line, where it matters.
pub const LINE: usize = 64;

/// Has the cache line fetched at which `value` begins, and those after it that it lies in.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_bytes(value, 0..size_of::<T>());
}

/// Has the cache lines fetched in which these bytes of `value` lie. (It begins with a cache line, or is
/// smaller than one.)
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
