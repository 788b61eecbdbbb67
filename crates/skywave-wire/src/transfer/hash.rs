//! Hashes of files that may be long.

use std::io::{self, Read};

use super::message::Hash;

/// Reads up to `size` bytes. Returns how many there were, and their hash. `None` when told to stop;
/// `go_on` is told how many bytes are done.
pub(super) fn hash(
    file: impl Read,
    size: u64,
    go_on: impl FnMut(u64) -> bool,
) -> io::Result<Option<(u64, Hash)>> {
    let mut hasher = blake3::Hasher::new();
    let read = hash_into(&mut hasher, file, size, go_on)?;
    Ok(read.map(|read| (read, hasher.finalize().into())))
}

/// The same into a hasher of the caller's.
pub(super) fn hash_into(
    hasher: &mut blake3::Hasher,
    mut file: impl Read,
    size: u64,
    mut go_on: impl FnMut(u64) -> bool,
) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; super::CHUNK];
    let mut done = 0;
    while done < size {
        let most = usize::try_from(size - done).map_or(buffer.len(), |n| n.min(buffer.len()));
        match file.read(&mut buffer[..most])? {
            0 => break,
            n => {
                hasher.update(&buffer[..n]);
                done += n as u64;
            }
        }
        if !go_on(done) {
            return Ok(None);
        }
    }
    Ok(Some(done))
}
