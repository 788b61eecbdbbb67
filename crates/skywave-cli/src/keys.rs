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

use openssh::Unusable;

/// Files of secret keys begin with it, so that they are not taken for those of public ones.
const SECRET_MARK: &str = "# Secret key";
/// No file of keys has more bytes.
const LONGEST: u64 = 1 << 20;

/// Why a key cannot be used.
#[derive(Debug, Error)]
pub(crate) enum KeyFailure {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: there is no key; `skywave key` makes one", .0.display())]
    None(PathBuf),
    #[error("{}: no secret key: expected the file that `skywave key` makes, or OpenSSH's id_ed25519", .0.display())]
    NoSecret(PathBuf),
    #[error("{}: {error}", path.display())]
    Secrets { path: PathBuf, error: KeyError },
    #[error("{}: this is no file of keys: it is {what}", path.display())]
    NoFile { path: PathBuf, what: &'static str },
    #[error("{}: a secret key: expected a public one, as `skywave key` prints", .0.display())]
    Secret(PathBuf),
    #[error("{}: others can read this secret key; allow it to yourself only: chmod 600 {}", .0.display(), .0.display())]
    Open(PathBuf),
    #[error("{}, line {line}: {error}", path.display())]
    NoPublic {
        path: PathBuf,
        line: usize,
        error: KeyError,
    },
    #[error("{}{}: {error}", path.display(), line.map(|n| format!(", line {n}")).unwrap_or_default())]
    OpenSsh {
        path: PathBuf,
        line: Option<usize>,
        error: Unusable,
    },
    #[error("{text:?}: {error}")]
    OpenSshText { text: String, error: Unusable },
    #[error("{text:?}: {error}")]
    Wrong { text: String, error: KeyError },
    #[error("{}: no keys in it", .0.display())]
    Empty(PathBuf),
    #[error(
        "there is no file {0:?}, and it is no public key (`sky1` and 43 characters, as `skywave key` prints, or \
         `ssh-ed25519 AAAA…`)"
    )]
    Neither(String),
    #[error(
        "no place for keys: neither XDG_CONFIG_HOME nor HOME is set; say where with --key FILE"
    )]
    NoPlace,
    #[error("the system has no random numbers: {0}")]
    Random(io::Error),
}

/// Where the secret key is, unless told.
pub(crate) fn default_path() -> Result<PathBuf, KeyFailure> {
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
        _ => KeyFailure::File {
            path: path.clone(),
            source,
        },
    };
    let text = Zeroizing::new(read(&path)?.map_err(failed)?);
    let of_openssh = openssh::secret(&text);
    if !text.starts_with(SECRET_MARK) && of_openssh.is_none() {
        return Err(KeyFailure::NoSecret(path));
    }
    if fs::metadata(&path).map_err(failed)?.mode() & 0o077 != 0 {
        return Err(KeyFailure::Open(path));
    }
    if let Some(read) = of_openssh {
        return read.map_err(|error| KeyFailure::OpenSsh {
            path,
            line: None,
            error,
        });
    }
    let mut keys = text.lines().filter(|line| !is_comment(line));
    match (keys.next().map(str::parse), keys.next()) {
        (Some(Ok(key)), None) => Ok(key),
        (Some(Err(error)), None) => Err(KeyFailure::Secrets { path, error }),
        _ => Err(KeyFailure::NoSecret(path)),
    }
}

/// Makes a secret key and keeps it there, in place of nothing.
pub(crate) fn make_secret(path: &Path) -> Result<SecretKey, KeyFailure> {
    let failed = |source| KeyFailure::File {
        path: path.to_owned(),
        source,
    };
    let key = SecretKey::generate().map_err(|error| KeyFailure::Random(error.into()))?;
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
    Ok(key)
}

/// A public key, ours or OpenSSH's, or a file with one on each line (what follows a key on its line is a comment).
pub(crate) fn read_public(text: &str) -> Result<Vec<PublicKey>, KeyFailure> {
    if let Some(read) = openssh::public(text) {
        let key = read.map_err(|error| KeyFailure::OpenSshText {
            text: text.to_owned(),
            error,
        })?;
        return Ok(vec![key]);
    }
    let wrong = match text.parse::<PublicKey>() {
        Ok(key) => return Ok(vec![key]),
        Err(error) => error,
    };
    let path = PathBuf::from(text);
    let content = match read(&path)? {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(match wrong {
                KeyError::NoKey => KeyFailure::Neither(text.to_owned()),
                // A secret is not repeated where others may read it.
                KeyError::Secret => KeyFailure::Wrong {
                    text: "skysecret1…".to_owned(),
                    error: wrong,
                },
                _ => KeyFailure::Wrong {
                    text: text.to_owned(),
                    error: wrong,
                },
            });
        }
        Err(source) => return Err(KeyFailure::File { path, source }),
    };
    if content.starts_with(SECRET_MARK) {
        return Err(KeyFailure::Secret(path));
    }
    let lines = content.lines().enumerate().filter(|(_, l)| !is_comment(l));
    let keys = lines.map(|(n, line)| {
        if let Some(read) = openssh::public(line) {
            return read.map_err(|error| KeyFailure::OpenSsh {
                path: path.clone(),
                line: Some(n + 1),
                error,
            });
        }
        let key = line.split_whitespace().next().unwrap_or_default().parse();
        key.map_err(|error| KeyFailure::NoPublic {
            path: path.clone(),
            line: n + 1,
            error,
        })
    });
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() {
        return Err(KeyFailure::Empty(path));
    }
    Ok(keys)
}

/// Reads a small file of text. One that never ends, or that waits for somebody to write, is none.
fn read(path: &Path) -> Result<io::Result<String>, KeyFailure> {
    let none = |what| KeyFailure::NoFile {
        path: path.to_owned(),
        what,
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
pub(crate) fn read_line(path: Option<&Path>) -> Result<Zeroizing<String>, KeyFailure> {
    let failed = |path: &Path, source| KeyFailure::File {
        path: path.to_owned(),
        source,
    };
    let mut text = Zeroizing::new(String::new());
    if let Some(path) = path {
        *text = read(path)?.map_err(|source| failed(path, source))?;
    } else {
        let path = Path::new("/dev/tty");
        let asked = File::options().read(true).write(true).open(path);
        asked
            .and_then(|mut terminal| {
                terminal.write_all(b"code: ")?;
                BufReader::new(terminal).read_line(&mut text)
            })
            .map_err(|source| failed(path, source))?;
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    Ok(Zeroizing::new(line.unwrap_or_default().to_owned()))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}
