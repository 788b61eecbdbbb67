//! Messages and chunks on a stream.

use bytes::Bytes;
use noq::{ReadExactError, RecvStream, SendStream};

use super::message::{MAX_CHUNK, MAX_MESSAGE, Message, Nonsense, decode, encode};
use crate::error::Broken;

/// Sends a message.
pub(crate) async fn send(stream: &mut SendStream, message: &impl Message) -> Result<(), Broken> {
    let body = encode(message)?;
    let mut bytes = Vec::with_capacity(2 + body.len());
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&body);
    Ok(stream.write_all(&bytes).await?)
}

/// Reads a message.
pub(crate) async fn read<M: Message>(stream: &mut RecvStream) -> Result<M, Broken> {
    let mut len = [0; 2];
    fill(stream, &mut len).await?;
    let len = usize::from(u16::from_be_bytes(len));
    if len > MAX_MESSAGE {
        return Err(Nonsense.into());
    }
    let mut body = vec![0; len];
    fill(stream, &mut body).await?;
    Ok(decode(&body)?)
}

/// Sends a chunk of at most [`MAX_CHUNK`] bytes; none ends them.
pub(crate) async fn send_chunk(stream: &mut SendStream, chunk: Bytes) -> Result<(), Broken> {
    let len = (chunk.len() as u32).to_be_bytes();
    stream.write_all(&len).await?;
    if !chunk.is_empty() {
        stream.write_chunk(chunk).await?;
    }
    Ok(())
}

/// Reads a chunk; none at the end.
pub(crate) async fn read_chunk(stream: &mut RecvStream) -> Result<Vec<u8>, Broken> {
    let mut len = [0; 4];
    fill(stream, &mut len).await?;
    let len = u32::from_be_bytes(len) as usize;
    if len > MAX_CHUNK {
        return Err(Nonsense.into());
    }
    let mut chunk = vec![0; len];
    fill(stream, &mut chunk).await?;
    Ok(chunk)
}

async fn fill(stream: &mut RecvStream, bytes: &mut [u8]) -> Result<(), Broken> {
    stream.read_exact(bytes).await.map_err(|error| match error {
        // The peer's process is about to end, for instance.
        ReadExactError::FinishedEarly(_) => Broken::Stream,
        ReadExactError::ReadError(error) => error.into(),
    })
}
