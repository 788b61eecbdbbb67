//! Memory of an array in the kernel that this process maps. The one module with unsafe code.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Words that the kernel's program reads and writes too.
#[derive(Debug)]
pub(crate) struct Shared {
    start: NonNull<AtomicU64>,
    words: usize,
}

// SAFETY: the memory belongs to no thread, and all its words are atomic.
unsafe impl Send for Shared {}

impl Shared {
    /// Maps the first `words` words of an array that was made to be mapped.
    pub(crate) fn new(array: BorrowedFd<'_>, words: usize) -> io::Result<Self> {
        // SAFETY: a new mapping, at a place that the kernel chooses; it is unmapped when this is dropped.
        let start = unsafe {
            mmap(
                ptr::null_mut(),
                words * size_of::<u64>(),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                array,
                0,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, words })
    }

    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has `self.words` words, begins at a page, and lasts as long as `self`.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// A word; zero beyond the end.
    pub(crate) fn get(&self, index: usize) -> u64 {
        let word = self.words().get(index);
        word.map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Writes words from `index` on, one after the other; what is beyond the end is left out.
    pub(crate) fn set(&self, index: usize, values: &[u64]) {
        let words = self.words().iter().skip(index);
        for (word, value) in words.zip(values) {
            word.store(*value, Ordering::Release);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: `new` made this mapping, and nobody has a reference into it any more.
        // It does not fail for a mapping that is there.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.words * size_of::<u64>()) };
    }
}
