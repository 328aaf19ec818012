//! Ed25519 keys in PEM files: those that sign access tokens and those that sign receipts.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose};
use jsonwebtoken::EncodingKey;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::rng;

/// Why there are no keys to work with.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// No file was named.
    #[error("no signing key is given")]
    None,
    /// A file can't be read.
    #[error("the signing key {0} can't be read")]
    Unreadable(PathBuf, #[source] io::Error),
    /// A file holds something else.
    #[error("{0} is not an Ed25519 private key in PEM (PKCS#8): make one with `openssl genpkey -algorithm ed25519`")]
    NotAKey(PathBuf),
    /// A new key can't be kept.
    #[error("a new signing key can't be written to {0}")]
    Unwritable(PathBuf, #[source] io::Error),
    /// No new key can be made.
    #[error("a signing key can't be made")]
    Unmade(#[from] aws_lc_rs::error::Unspecified),
}

/// A key as its file has it.
pub struct SigningKey {
    /// Its name: the beginning of the hash of its public half.
    pub id: String,
    /// What signs with `jsonwebtoken`.
    pub encoding: EncodingKey,
    /// What signs anything else.
    pub pair: Ed25519KeyPair,
}

impl SigningKey {
    /// The public half.
    pub fn public(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    fn of_pem(pem: &[u8]) -> Option<Self> {
        let encoding = EncodingKey::from_ed_pem(pem).ok()?;
        let pair = Ed25519KeyPair::from_pkcs8(encoding.as_bytes()).ok()?;
        let mut id = general_purpose::URL_SAFE_NO_PAD.encode(Sha256::digest(pair.public_key().as_ref()));
        id.truncate(16);
        Some(Self { id, encoding, pair })
    }
}

/// The keys of these files, in this order.
pub fn load(paths: &[PathBuf]) -> Result<Vec<SigningKey>, KeyError> {
    if paths.is_empty() {
        return Err(KeyError::None);
    }
    paths.iter().map(|path| read(path)).collect()
}

/// The key kept under this name in this folder, made where there is none: what it signed outlives a restart.
/// For development.
pub fn load_or_create(folder: &Path, name: &str) -> Result<Vec<SigningKey>, KeyError> {
    let path = folder.join(name);
    if !path.try_exists().map_err(|error| KeyError::Unreadable(path.clone(), error))? {
        let pem = new_pem()?;
        write(&path, &pem).map_err(|error| KeyError::Unwritable(path.clone(), error))?;
    }
    load(&[path])
}

fn read(path: &Path) -> Result<SigningKey, KeyError> {
    let pem = fs::read(path).map_err(|error| KeyError::Unreadable(path.to_owned(), error))?;
    SigningKey::of_pem(&Zeroizing::new(pem)).ok_or_else(|| KeyError::NotAKey(path.to_owned()))
}

/// A new key as the text of a file.
pub fn new_pem() -> Result<Zeroizing<String>, KeyError> {
    let document = Ed25519KeyPair::generate()?.to_pkcs8v1()?;
    // 48 bytes, which is one line.
    let line = Zeroizing::new(general_purpose::STANDARD.encode(document.as_ref()));
    Ok(Zeroizing::new(format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", *line)))
}

/// Written aside and put into place whole, where no other has been meanwhile: a crash leaves a key or none, and of
/// two that are made at once the first is the one both use.
pub fn write(path: &Path, pem: &str) -> io::Result<()> {
    let aside = path.with_extension(format!("{:x}", u64::from_ne_bytes(rng::secret())));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
    let placed =
        file.write_all(pem.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&aside, path));
    fs::remove_file(&aside)?;
    match placed {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        placed => placed,
    }
}
