//! The keys that sign access tokens: Ed25519, in PEM files.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose};
use jsonwebtoken::{DecodingKey, EncodingKey};
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

/// Which key signed a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyId(pub String);

struct Key {
    id: KeyId,
    signs: EncodingKey,
    verifies: DecodingKey,
}

/// The first key signs, all of them verify: a new key is put in front of the old one, which goes once the last token
/// it signed has expired.
#[derive(Clone)]
pub struct Keys(Arc<[Key]>);

impl std::fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|key| &key.id.0)).finish()
    }
}

/// The name of the key that [`Keys::load_or_create`] keeps.
const OWN_KEY: &str = "signing-key.pem";

impl Keys {
    /// The keys of these files, in this order.
    pub fn load(paths: &[PathBuf]) -> Result<Self, KeyError> {
        if paths.is_empty() {
            return Err(KeyError::None);
        }
        paths.iter().map(|path| read(path)).collect::<Result<_, _>>().map(Self)
    }

    /// The key kept in this folder, made where there is none: its tokens outlive a restart.
    /// For development.
    pub fn load_or_create(folder: &Path) -> Result<Self, KeyError> {
        let path = folder.join(OWN_KEY);
        if !path.try_exists().map_err(|error| KeyError::Unreadable(path.clone(), error))? {
            let pem = new_pem()?;
            write(&path, &pem).map_err(|error| KeyError::Unwritable(path.clone(), error))?;
        }
        Self::load(&[path])
    }

    /// The key that signs, with its name.
    pub fn signing(&self) -> (&KeyId, &EncodingKey) {
        // Never empty: both ways to make one see to it.
        let key = &self.0[0];
        (&key.id, &key.signs)
    }

    /// The key of this name.
    pub fn verifying(&self, id: &str) -> Option<&DecodingKey> {
        self.0.iter().find(|key| key.id.0 == id).map(|key| &key.verifies)
    }
}

fn read(path: &Path) -> Result<Key, KeyError> {
    let pem = fs::read(path).map_err(|error| KeyError::Unreadable(path.to_owned(), error))?;
    key_of(&Zeroizing::new(pem)).ok_or_else(|| KeyError::NotAKey(path.to_owned()))
}

fn key_of(pem: &[u8]) -> Option<Key> {
    let signs = EncodingKey::from_ed_pem(pem).ok()?;
    let pair = Ed25519KeyPair::from_pkcs8(signs.as_bytes()).ok()?;
    let public = pair.public_key().as_ref();
    let mut id = general_purpose::URL_SAFE_NO_PAD.encode(Sha256::digest(public));
    id.truncate(16);
    Some(Key { id: KeyId(id), verifies: DecodingKey::from_ed_der(public), signs })
}

fn new_pem() -> Result<Zeroizing<String>, KeyError> {
    let document = Ed25519KeyPair::generate()?.to_pkcs8v1()?;
    // 48 bytes, which is one line.
    let line = Zeroizing::new(general_purpose::STANDARD.encode(document.as_ref()));
    Ok(Zeroizing::new(format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", *line)))
}

/// Written aside and put into place whole, where no other has been meanwhile: a crash leaves a key or none, and of
/// two that are made at once the first is the one both use.
fn write(path: &Path, pem: &str) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stakeboard-keys-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn the_key_of_a_folder_is_made_once_and_for_its_owner_only() {
        let folder = folder("once");
        let made = Keys::load_or_create(&folder).expect("made");
        let found = Keys::load_or_create(&folder).expect("found");
        assert_eq!(made.signing().0, found.signing().0);
        assert_eq!(made.signing().0.0.len(), 16);
        let permissions = fs::metadata(folder.join(OWN_KEY)).expect("there").permissions();
        assert_eq!(permissions.mode() & 0o777, 0o600);
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn the_first_signs_and_all_verify() {
        let folder = folder("order");
        let paths: Vec<PathBuf> = ["new.pem", "old.pem"].iter().map(|name| folder.join(name)).collect();
        for path in &paths {
            write(path, &new_pem().expect("made")).expect("written");
        }
        let keys = Keys::load(&paths).expect("loaded");
        let old = Keys::load(&paths[1..]).expect("loaded");
        assert_ne!(keys.signing().0, old.signing().0);
        assert!(keys.verifying(&keys.signing().0.0).is_some());
        assert!(keys.verifying(&old.signing().0.0).is_some());
        assert!(keys.verifying("somebody else's").is_none());
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn what_is_not_a_key_is_named() {
        let folder = folder("not");
        assert!(matches!(Keys::load(&[]), Err(KeyError::None)));
        let path = folder.join("missing.pem");
        assert!(matches!(Keys::load(std::slice::from_ref(&path)), Err(KeyError::Unreadable(..))));
        fs::write(&path, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").expect("written");
        assert!(matches!(Keys::load(&[path]), Err(KeyError::NotAKey(_))));
        fs::remove_dir_all(folder).expect("removed");
    }
}
