//! Messages between the relay's process and those inside, with open files beside them.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::PORTS;

/// Files of a message: two devices, and a socket a port.
const FILES: usize = 2 + PORTS;

/// Bytes of a message; longer texts are cut.
const LONGEST: usize = 4096;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// To the inside: the command's standard input goes along.
    Input {
        /// True if the input is the terminal of this process, which becomes the command's.
        is_job: bool,
    },
    /// The networks are there; with the devices of near and far, then the listening sockets.
    Ready,
    /// The command is started next; with a handle of the first process.
    Starting,
    /// The command runs; with a handle (pidfd) of it.
    Started,
    /// A signal has stopped the command.
    Stopped,
    /// Packets that the command wanted to send where nothing is.
    Strays {
        /// How many.
        count: u32,
    },
    /// Nothing more will happen.
    Failed {
        /// Exit code.
        code: u8,
        /// Words for what failed.
        text: String,
    },
    /// The command has ended, and the far side.
    Ended {
        /// The command's exit code.
        code: u8,
    },
}

impl Message {
    fn bytes(&self) -> Vec<u8> {
        let (kind, code, text) = match self {
            Self::Input { is_job } => (0, u8::from(*is_job), ""),
            Self::Ready => (1, 0, ""),
            Self::Started => (2, 0, ""),
            Self::Failed { code, text } => (3, *code, text.as_str()),
            Self::Ended { code } => (4, *code, ""),
            Self::Starting => (5, 0, ""),
            Self::Stopped => (6, 0, ""),
            Self::Strays { count } => (7, 0, &*count.to_string()),
        };
        let mut bytes = vec![kind, code];
        bytes.extend_from_slice(text.as_bytes());
        bytes.truncate(LONGEST);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (&[kind, code], text) = bytes.split_first_chunk()?;
        let text = String::from_utf8_lossy(text).into_owned();
        Some(match kind {
            0 => Self::Input { is_job: code != 0 },
            1 => Self::Ready,
            2 => Self::Started,
            3 => Self::Failed { code, text },
            4 => Self::Ended { code },
            5 => Self::Starting,
            6 => Self::Stopped,
            7 => Self::Strays {
                count: text.parse().ok()?,
            },
            _ => return None,
        })
    }
}

/// One end of the socket.
#[derive(Debug)]
pub(super) struct Channel(OwnedFd);

impl Channel {
    /// Both ends.
    pub(super) fn pair() -> io::Result<(Self, Self)> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            // Keeps messages apart, and tells when the other end is closed.
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        Ok((Self(ours), Self(theirs)))
    }

    /// The end that this process was started with, in the place of its standard input.
    pub(super) fn of_this_process() -> io::Result<Self> {
        Ok(Self(io::stdin().as_fd().try_clone_to_owned()?))
    }

    /// Sends a message.
    pub(super) fn send(&self, message: &Message, files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = message.bytes();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let bytes = [IoSlice::new(&bytes)];
        // A closed end is an error, and no signal.
        sendmsg(&self.0, &bytes, &mut beside, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Waits for the next message; an error once the other end is closed.
    pub(super) fn receive(&self) -> io::Result<(Message, Vec<OwnedFd>)> {
        self.read(RecvFlags::empty())
    }

    /// The next message, if one has come.
    pub(super) fn try_receive(&self) -> io::Result<Option<(Message, Vec<OwnedFd>)>> {
        match self.read(RecvFlags::DONTWAIT) {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, flags: RecvFlags) -> io::Result<(Message, Vec<OwnedFd>)> {
        let mut bytes = [0; LONGEST];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let length = loop {
            let mut into = [IoSliceMut::new(&mut bytes)];
            let flags = flags | RecvFlags::CMSG_CLOEXEC;
            match recvmsg(&self.0, &mut into, &mut beside, flags) {
                Ok(read) => break read.bytes,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        };
        let message = Message::read(&bytes[..length]).ok_or(ErrorKind::UnexpectedEof)?;
        let files = beside.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        });
        Ok((message, files.flatten().collect()))
    }
}

impl From<Channel> for OwnedFd {
    fn from(channel: Channel) -> Self {
        channel.0
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent_and_files_with_them() {
        let (ours, theirs) = Channel::pair().unwrap();
        assert_eq!(
            ours.try_receive().unwrap().map(|(message, _)| message),
            None
        );
        let text = "no such thing".to_owned();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"inside").unwrap();
        let messages = [
            Message::Input { is_job: true },
            Message::Ready,
            Message::Starting,
            Message::Started,
            Message::Stopped,
            Message::Strays { count: 70_000 },
            Message::Failed { code: 127, text },
            Message::Ended { code: 255 },
        ];
        for (count, message) in messages.iter().enumerate() {
            let files = vec![file.as_fd(); count];
            theirs.send(message, &files).unwrap();
            let (arrived, files) = ours.receive().unwrap();
            assert_eq!((&arrived, files.len()), (message, count));
            for file in files {
                let (mut file, mut text) = (File::from(file), String::new());
                file.rewind().unwrap();
                file.read_to_string(&mut text).unwrap();
                assert_eq!(text, "inside");
            }
        }
        drop(theirs);
        assert!(ours.receive().is_err());
        assert!(ours.try_receive().is_err());
    }
}
