//! The keys that sign access tokens.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jsonwebtoken::{DecodingKey, EncodingKey};

use crate::signing::{self, KeyError, SigningKey};

/// Which key signed a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyId(pub String);

struct Key {
    id: KeyId,
    signs: EncodingKey,
    verifies: DecodingKey,
}

impl From<SigningKey> for Key {
    fn from(key: SigningKey) -> Self {
        let verifies = DecodingKey::from_ed_der(key.public());
        Self { id: KeyId(key.id), signs: key.encoding, verifies }
    }
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
        Ok(Self(signing::load(paths)?.into_iter().map(Key::from).collect()))
    }

    /// The key kept in this folder, made where there is none: its tokens outlive a restart.
    /// For development.
    pub fn load_or_create(folder: &Path) -> Result<Self, KeyError> {
        Ok(Self(signing::load_or_create(folder, OWN_KEY)?.into_iter().map(Key::from).collect()))
    }

    /// The key that signs, with its name.
    pub fn signing(&self) -> (&KeyId, &EncodingKey) {
        // Never empty: both ways to make one see to it.
        let key = &self.0[0];
        (&key.id, &key.signs)
    }

    /// The names of all, in order.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|key| key.id.0.clone()).collect()
    }

    /// The key of this name.
    pub fn verifying(&self, id: &str) -> Option<&DecodingKey> {
        self.0.iter().find(|key| key.id.0 == id).map(|key| &key.verifies)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;
    use crate::signing::{new_pem, write};

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
