//! Files of keys, and keys as arguments.

mod openssh;

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use skywave_transfer::key::{KeyError, PublicKey, SecretKey};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::print::{Stream, line};

/// Files of secret keys begin with it, so that they are not taken for those of public ones.
const SECRET_MARK: &str = "# Secret key";
/// No file of keys has more bytes.
const LONGEST: u64 = 1 << 20;

/// Why this host has no secret key that can be used.
#[derive(Debug, Error)]
pub(crate) enum KeyFailure {
    /// No file with a key.
    #[error("{}: there is no key; `skywave key` makes one", .0.display())]
    None(PathBuf),
    /// No folder for a key.
    #[error(
        "no place for keys: neither XDG_CONFIG_HOME nor HOME is set; say where with --key FILE"
    )]
    NoPlace,
    /// A file that has something else, or cannot be read.
    #[error(transparent)]
    Wrong(#[from] Failure),
}

impl From<KeyFailure> for Failure {
    fn from(failure: KeyFailure) -> Self {
        match failure {
            KeyFailure::Wrong(failure) => failure,
            none => Self::usage(none),
        }
    }
}

/// The failure to make a key or a code.
pub(crate) fn no_random(error: impl Into<io::Error>) -> Failure {
    let error = error.into();
    Failure::usage(format!("the system has no random numbers: {error}"))
}

/// Where the secret key is, unless told.
fn default_path() -> Result<PathBuf, KeyFailure> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let config = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".config")));
    Ok(config.ok_or(KeyFailure::NoPlace)?.join("skywave/key"))
}

/// Reads the secret key of this host.
pub(crate) fn read_secret(path: Option<&Path>) -> Result<SecretKey, KeyFailure> {
    let path = path.map_or_else(default_path, |path| Ok(path.to_owned()))?;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => KeyFailure::None(path.clone()),
        _ => Failure::file(&path, source).into(),
    };
    let text = Zeroizing::new(read(&path)?.map_err(failed)?);
    let of_openssh = openssh::secret(&text);
    let no_secret =
        "no secret key: expected the file that `skywave key` makes, or OpenSSH's id_ed25519";
    if !text.starts_with(SECRET_MARK) && of_openssh.is_none() {
        return Err(Failure::file(&path, no_secret).into());
    }
    if fs::metadata(&path).map_err(failed)?.mode() & 0o077 != 0 {
        let open = "others can read this secret key; allow it to yourself only: chmod 600";
        return Err(Failure::file(&path, format_args!("{open} {}", path.display())).into());
    }
    if let Some(read) = of_openssh {
        return Ok(read.map_err(|error| Failure::file(&path, error))?);
    }
    let mut keys = text.lines().filter(|line| !is_comment(line));
    match (keys.next().map(str::parse), keys.next()) {
        (Some(Ok(key)), None) => Ok(key),
        (Some(Err::<_, KeyError>(error)), None) => Err(Failure::file(&path, error).into()),
        _ => Err(Failure::file(&path, no_secret).into()),
    }
}

/// Makes a secret key, keeps it there, in place of nothing, and says so.
pub(crate) fn make_secret(path: &Path) -> Result<SecretKey, Failure> {
    let failed = |error: io::Error| Failure::file(path, error);
    let key = SecretKey::generate().map_err(no_random)?;
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.map_err(failed)?;
    let text = Zeroizing::new(format!(
        "{SECRET_MARK} of this host for skywave: keep it to yourself.\n{}\n",
        key.reveal().as_str()
    ));
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Half a key is of no use.
        let _ = fs::remove_file(path);
        return Err(failed(error));
    }
    let made = format!("skywave: made a new key, kept in {}", path.display());
    line(Stream::Err, &made);
    Ok(key)
}

/// A public key, ours or OpenSSH's, or a file with one on each line (what follows a key on its line is a comment).
pub(crate) fn read_public(text: &str) -> Result<Vec<PublicKey>, Failure> {
    if let Some(read) = openssh::public(text) {
        let key = read.map_err(|error| Failure::usage(format!("{text:?}: {error}")))?;
        return Ok(vec![key]);
    }
    let no_key = match text.parse::<PublicKey>() {
        Ok(key) => return Ok(vec![key]),
        Err(error) => error,
    };
    let path = Path::new(text);
    let content = match read(path)? {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Failure::usage(match no_key {
                KeyError::NoKey => format!(
                    "there is no file {text:?}, and it is no public key (`sky1` and 43 characters, as `skywave key` \
                     prints, or `ssh-ed25519 AAAA…`)"
                ),
                // A secret is not repeated where others may read it.
                KeyError::Secret => format!("\"skysecret1…\": {no_key}"),
                _ => format!("{text:?}: {no_key}"),
            }));
        }
        Err(error) => return Err(Failure::file(path, error)),
    };
    if content.starts_with(SECRET_MARK) {
        let secret = "a secret key: expected a public one, as `skywave key` prints";
        return Err(Failure::file(path, secret));
    }
    let lines = content.lines().enumerate().filter(|(_, l)| !is_comment(l));
    let keys = lines.map(|(n, line)| {
        let word = line.split_whitespace().next().unwrap_or_default();
        let key = openssh::public(line).unwrap_or_else(|| Ok(word.parse()?));
        key.map_err(|error| Failure::usage(format!("{text}, line {}: {error}", n + 1)))
    });
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() {
        return Err(Failure::file(path, "no keys in it"));
    }
    Ok(keys)
}

/// Reads a small file of text. One that never ends, or that waits for somebody to write, is none.
fn read(path: &Path) -> Result<io::Result<String>, Failure> {
    let none = |what| {
        let why = format!("this is no file of keys: it is {what}");
        Failure::file(path, why)
    };
    match fs::metadata(path) {
        Err(error) => return Ok(Err(error)),
        Ok(found) if found.is_dir() => return Err(none("a folder")),
        Ok(found) if !found.is_file() => return Err(none("a device or a pipe")),
        Ok(found) if found.len() > LONGEST => return Err(none("too long")),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // Some files have no length that is known beforehand.
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Ok(Err(error));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        // Editors of Windows write this before the text.
        bytes.drain(..3);
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(none("UTF-16: save it as UTF-8"));
    }
    String::from_utf8(bytes)
        .map(Ok)
        .map_err(|_| none("no text"))
}

/// The first line of a small file, or what is typed at the terminal.
pub(crate) fn read_line(path: Option<&Path>) -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::new());
    if let Some(path) = path {
        *text = read(path)?.map_err(|error| Failure::file(path, error))?;
    } else {
        let path = Path::new("/dev/tty");
        let terminal = File::options().read(true).write(true).open(path);
        let mut terminal = terminal.map_err(|_| {
            Failure::usage(
                "there is no terminal to ask for the code at; expected --code CODE, or --code-file FILE",
            )
        })?;
        let asked = terminal.write_all(b"code: ");
        asked
            .and_then(|()| BufReader::new(terminal).read_line(&mut text))
            .map_err(|error| Failure::file(path, error))?;
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    Ok(Zeroizing::new(line.unwrap_or_default().to_owned()))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}
