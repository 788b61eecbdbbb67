//! Messages and chunks on a stream.

use std::time::Duration;

use bytes::Bytes;
use noq::{ReadExactError, RecvStream, SendStream};
use tokio::time::sleep;

use super::message::{
    DEALT, LANE_SHIFT, MAX_CHUNK, MAX_LANES, Message, Nonsense, ZEROS, decode, encode,
};
use crate::error::Broken;

/// Time after which bytes that have come are used, though others belong to them: over a slow link those take minutes.
const LATE: Duration = Duration::from_millis(250);

/// Sends a message.
pub(crate) async fn send(stream: &mut SendStream, message: &impl Message) -> Result<(), Broken> {
    let mut bytes = Vec::new();
    put(&mut bytes, message)?;
    Ok(stream.write_all(&bytes).await?)
}

/// Adds a message to what is going to be sent.
pub(crate) fn put(bytes: &mut Vec<u8>, message: &impl Message) -> Result<(), Broken> {
    let body = encode(message)?;
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&body);
    Ok(())
}

/// Reads a message.
pub(crate) async fn read<M: Message>(stream: &mut RecvStream) -> Result<M, Broken> {
    let mut len = [0; 2];
    fill(stream, &mut len).await?;
    let len = usize::from(u16::from_be_bytes(len));
    if len > M::MAX {
        return Err(Nonsense.into());
    }
    let mut body = vec![0; len];
    fill(stream, &mut body).await?;
    Ok(decode(&body)?)
}

/// Sends a chunk of at most [`MAX_CHUNK`] bytes; none ends them.
pub(crate) async fn send_chunk(stream: &mut SendStream, chunk: Bytes) -> Result<(), Broken> {
    send_chunk_before(stream, chunk, 0).await
}

/// Sends a chunk of at most [`MAX_CHUNK`] bytes; the chunk after it comes over the lane `next`.
pub(crate) async fn send_chunk_before(
    stream: &mut SendStream,
    chunk: Bytes,
    next: u8,
) -> Result<(), Broken> {
    let word = u32::from(next) << LANE_SHIFT | chunk.len() as u32;
    if !chunk.is_empty() && is_zeros(&chunk) {
        return Ok(stream.write_all(&(word | ZEROS).to_be_bytes()).await?);
    }
    stream.write_all(&word.to_be_bytes()).await?;
    if !chunk.is_empty() {
        stream.write_chunk(chunk).await?;
    }
    Ok(())
}

/// Says that the chunks come over so many lanes.
pub(crate) async fn send_dealt(stream: &mut SendStream, lanes: u8) -> Result<(), Broken> {
    let word = DEALT | u32::from(lanes);
    Ok(stream.write_all(&word.to_be_bytes()).await?)
}

/// Head of a chunk: how many bytes follow it, or are all zero and do not, and over which lane the next chunk comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) len: usize,
    pub(crate) zeros: bool,
    pub(crate) next: u8,
}

/// First chunk on a stream, or the number of lanes that chunks come over instead.
#[derive(Debug)]
pub(crate) enum First {
    Chunk(Head),
    /// Chunks come over so many lanes.
    Dealt(u8),
}

/// Reads the head of the first chunk, or over how many lanes it comes.
pub(crate) async fn read_first(stream: &mut RecvStream) -> Result<First, Broken> {
    let word = read_word(stream).await?;
    if word & DEALT == 0 {
        return Ok(First::Chunk(head(word)?));
    }
    match u8::try_from(word & !DEALT) {
        Ok(lanes @ 1..=MAX_LANES) => Ok(First::Dealt(lanes)),
        _ => Err(Nonsense.into()),
    }
}

/// Reads the head of a chunk; it has no bytes at the end.
pub(crate) async fn read_head(stream: &mut RecvStream) -> Result<Head, Broken> {
    head(read_word(stream).await?)
}

async fn read_word(stream: &mut RecvStream) -> Result<u32, Broken> {
    let mut word = [0; 4];
    fill(stream, &mut word).await?;
    Ok(u32::from_be_bytes(word))
}

fn head(word: u32) -> Result<Head, Broken> {
    let zeros = word & ZEROS != 0;
    let len = ((word % (1 << LANE_SHIFT)) & !ZEROS) as usize;
    // Zeros without a length would end the file, and are no end.
    if len > MAX_CHUNK || (zeros && len == 0) {
        return Err(Nonsense.into());
    }
    let next = (word >> LANE_SHIFT) as u8;
    Ok(Head { len, zeros, next })
}

/// Whether all bytes are zero.
pub(crate) fn is_zeros(bytes: &[u8]) -> bool {
    let words = bytes.chunks_exact(16);
    let rest = words.remainder().iter().all(|byte| *byte == 0);
    rest && words.into_iter().all(|word| word == [0; 16])
}

/// Reads as many bytes as there is room for.
pub(crate) async fn fill(stream: &mut RecvStream, bytes: &mut [u8]) -> Result<(), Broken> {
    stream.read_exact(bytes).await.map_err(|error| match error {
        // The peer's process is about to end, for instance.
        ReadExactError::FinishedEarly(_) => Broken::Stream,
        ReadExactError::ReadError(error) => error.into(),
    })
}

/// Reads as many bytes as there is room for; fewer, but some, if the others come late or never. How many they are.
pub(crate) async fn fill_some(stream: &mut RecvStream, bytes: &mut [u8]) -> Result<usize, Broken> {
    let (mut filled, late) = (0, sleep(LATE));
    tokio::pin!(late);
    while filled < bytes.len() {
        let read = tokio::select! {
            biased;
            read = stream.read(&mut bytes[filled..]) => read,
            () = &mut late, if filled > 0 => break,
        };
        match read {
            Ok(Some(more)) => filled += more,
            Ok(None) if filled == 0 => return Err(Broken::Stream),
            Err(error) if filled == 0 => return Err(error.into()),
            // The next one who reads finds out.
            Ok(None) | Err(_) => break,
        }
    }
    Ok(filled)
}
