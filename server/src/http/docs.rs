//! The interface for people to read: one page, made from the `OpenAPI` document, without outside assets.

use crate::i18n::Language;

/// The page.
pub fn page(_language: Language) -> &'static str {
    ""
}
