//! Messages and chunks on a stream.

use bytes::Bytes;
use noq::{ReadExactError, RecvStream, SendStream};

use super::message::{
    DEALT, LANE_SHIFT, MAX_CHUNK, MAX_LANES, Message, Nonsense, ZEROS, decode, encode,
};
use crate::error::Broken;

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

/// First chunk on a stream, or the number of lanes that chunks come over instead.
#[derive(Debug)]
pub(crate) enum First {
    Chunk(Vec<u8>),
    /// Chunks come over so many lanes.
    Dealt(u8),
}

/// Reads the first chunk, or over how many lanes it comes.
pub(crate) async fn read_first(stream: &mut RecvStream) -> Result<First, Broken> {
    let word = read_word(stream).await?;
    if word & DEALT == 0 {
        return Ok(First::Chunk(chunk_of(stream, word).await?));
    }
    match u8::try_from(word & !DEALT) {
        Ok(lanes @ 1..=MAX_LANES) => Ok(First::Dealt(lanes)),
        _ => Err(Nonsense.into()),
    }
}

/// Reads a chunk, none at the end, and over which lane the next one comes.
pub(crate) async fn read_chunk(stream: &mut RecvStream) -> Result<(Vec<u8>, u8), Broken> {
    let word = read_word(stream).await?;
    let (next, len) = (word >> LANE_SHIFT, word % (1 << LANE_SHIFT));
    Ok((chunk_of(stream, len).await?, next as u8))
}

async fn read_word(stream: &mut RecvStream) -> Result<u32, Broken> {
    let mut word = [0; 4];
    fill(stream, &mut word).await?;
    Ok(u32::from_be_bytes(word))
}

async fn chunk_of(stream: &mut RecvStream, word: u32) -> Result<Vec<u8>, Broken> {
    let len = (word & !ZEROS) as usize;
    if len > MAX_CHUNK {
        return Err(Nonsense.into());
    }
    if word & ZEROS != 0 && len == 0 {
        // It would end the file, and is no end.
        return Err(Nonsense.into());
    }
    let mut chunk = vec![0; len];
    if word & ZEROS == 0 {
        fill(stream, &mut chunk).await?;
    }
    Ok(chunk)
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
