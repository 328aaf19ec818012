//! The web client: a page and its modules, compiled into the program.
//!
//! Modules, styles and texts stand below `/web/{version}/`, where the version is that of all of them together: a page
//! that is open never mixes modules of two releases, and what was fetched once need not be asked for again. A build
//! with debug assertions reads the folder while it runs, so that an edit needs no build.

mod bundle;

use std::{
    collections::HashMap,
    io::Write as _,
    sync::{LazyLock, Mutex, PoisonError},
};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use rust_embed::Embed;
use sha2::{Digest as _, Sha256};
use utoipa_axum::router::OpenApiRouter;

use crate::{code::Code, http::problem::Problem, i18n::Language};

/// What a document of ours may load and do: its own modules, styles, pictures and calls, nothing from elsewhere and
/// nothing inline.
pub const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";
/// Devices that no page of ours asks for.
pub const PERMISSIONS_POLICY: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// The paths of the page, each with the view that the page shows there.
const PAGES: [(&str, &str); 17] = [
    ("/", "home"),
    ("/lobby", "lobby"),
    ("/table/{code}", "table"),
    ("/match/{id}", "play"),
    ("/practice", "practice"),
    ("/practice/{id}", "practice"),
    ("/streak", "streak"),
    ("/streak/{id}", "streak"),
    ("/wallet", "wallet"),
    ("/history", "history"),
    ("/rules", "rules"),
    ("/rules/{game}", "rules"),
    ("/settings", "settings"),
    ("/player/{id}", "profile"),
    ("/leaderboard/{game}", "leaderboard"),
    ("/sign-in", "sign_in"),
    ("/admin", "admin/overview"),
];
/// The paths of the staff's other pages.
const STAFF_PAGES: &str = "/admin/{*page}";
/// Where modules, styles and texts are.
const ASSETS: &str = "/web/{version}/{*name}";
/// What the paths of all of them begin with.
const ASSETS_ROOT: &str = "/web/";

/// How long a module may be kept without asking: for ever, since another release has another path. Where the folder
/// is read while the program runs, each load asks.
const ASSET_CACHING: &str = if cfg!(debug_assertions) { "no-cache" } else { "public, max-age=31536000, immutable" };

#[derive(Embed)]
#[folder = "web"]
struct Folder;

/// The routes of this file. They are for people, and no part of the documented interface.
pub fn router<S: Clone + Send + Sync + 'static>() -> OpenApiRouter<S> {
    let pages = PAGES.map(|(path, view)| (path, Some(view))).into_iter().chain([(STAFF_PAGES, None)]);
    let router = pages.fold(OpenApiRouter::new(), |router, (path, view)| {
        router.route(path, get(async move |language, headers| page(view, language, headers)))
    });
    router.route(ASSETS, get(asset))
}

/// Marks the answer with a module, a style or a text: nobody is shown one by itself.
#[derive(Clone, Copy, Debug)]
pub struct Asset;

/// Whether a request is for a module, a style or a text.
pub fn is_asset(uri: &Uri) -> bool {
    uri.path().starts_with(ASSETS_ROOT)
}

/// The page with one of its views.
#[expect(clippy::needless_pass_by_value, reason = "what a handler is given is its own")]
fn page(view: Option<&'static str>, language: Language, headers: HeaderMap) -> Result<Response, Problem> {
    index(view, language, &headers, StatusCode::OK)
}

/// What is at no known path: people see the page, which says so, and programs a problem.
pub async fn nowhere(method: Method, uri: Uri, language: Language, headers: HeaderMap) -> Result<Response, Problem> {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let for_people = accepted.contains("text/html") && !uri.path().starts_with("/v1");
    if for_people && (method == Method::GET || method == Method::HEAD) {
        index(Some("not_found"), language, &headers, StatusCode::NOT_FOUND)
    } else {
        Err(Problem::new(Code::NotFound))
    }
}

/// A module, a style or a text.
async fn asset(uri: Uri, headers: HeaderMap) -> Result<Response, Problem> {
    let not_found = || Problem::new(Code::NotFound);
    let below = uri.path().strip_prefix(ASSETS_ROOT).ok_or_else(not_found)?;
    let (_, name) = below.split_once('/').filter(|(version, _)| *version == *VERSION).ok_or_else(not_found)?;
    let plain = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\\'));
    let kind = content_type(name).filter(|_| plain).ok_or_else(not_found)?;
    let (hash, bytes) = if name == bundle::STYLE {
        let style = bundle::style();
        (Sha256::digest(&style).into(), style)
    } else {
        let file = Folder::get(name).ok_or_else(not_found)?;
        (file.metadata.sha256_hash(), file.data.into_owned())
    };
    let mut response = Content { hash, bytes: bytes.into(), kind, caching: ASSET_CACHING }.answer(&headers);
    // A picture can be opened by itself.
    if !kind.starts_with("image/") {
        response.extensions_mut().insert(Asset);
    }
    Ok(response)
}

/// The document that loads the rest, in the language that is asked for. It names all modules that its view needs.
fn index(view: Option<&str>, language: Language, headers: &HeaderMap, status: StatusCode) -> Result<Response, Problem> {
    let file = Folder::get("index.html").ok_or_else(|| Problem::internal(&IndexMissing))?;
    let text = String::from_utf8_lossy(&file.data);
    let modules = bundle::modules(view).into_iter();
    let links: Vec<String> =
        modules.map(|path| format!("    <link rel=\"modulepreload\" href=\"{{web}}/{path}\" />\n")).collect();
    let text = text.replace("    {modules}\n", &links.concat());
    let text = text.replace("{web}", &format!("/web/{}", *VERSION)).replace("{language}", language.tag());
    let hash = Sha256::digest(&text).into();
    let kind = "text/html; charset=utf-8";
    let mut response = Content { hash, bytes: Bytes::from(text), kind, caching: "no-cache" }.answer(headers);
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    let own = response.headers_mut();
    own.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.tag()));
    own.append(header::VARY, HeaderValue::from_static("accept-language"));
    Ok(response)
}

/// The program was built from a folder without a page.
#[derive(Debug, thiserror::Error)]
#[error("the page is not in the program")]
struct IndexMissing;

/// A short name for the contents of all files, made when the first page is asked for.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut names: Vec<_> = Folder::iter().collect();
    names.sort_unstable();
    let mut hasher = Sha256::new();
    for name in names {
        if let Some(file) = Folder::get(&name) {
            hasher.update(name.as_bytes());
            hasher.update(file.metadata.sha256_hash());
        }
    }
    hex(&hasher.finalize()[..6])
});

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What a file is, by the ending of its name; nothing for what is not to be served.
fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "json" => Some("application/json"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}

/// Something to be sent, or not to be sent again.
struct Content {
    hash: [u8; 32],
    bytes: Bytes,
    kind: &'static str,
    caching: &'static str,
}

impl Content {
    fn answer(self, asked: &HeaderMap) -> Response {
        let gzip = takes_gzip(asked) && !self.kind.starts_with("image/png");
        // Two encodings are two representations, and a strong tag names one.
        let tag = format!("\"{}{}\"", hex(&self.hash[..16]), if gzip { "-gzip" } else { "" });
        let known = is_known(asked, &tag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else if gzip {
            Body::from(self.compressed()).into_response()
        } else {
            Body::from(self.bytes).into_response()
        };
        let headers = response.headers_mut();
        if !known {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
            if gzip {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
        }
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.caching));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        response
    }

    /// Compressed once for each content, whoever asks.
    fn compressed(&self) -> Bytes {
        static KEPT: LazyLock<Mutex<HashMap<[u8; 32], Bytes>>> = LazyLock::new(Mutex::default);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(self.hash).or_insert_with(|| gzip(&self.bytes)).clone()
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes all that is written to it.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default().into()
}

/// Whether a client takes gzip: named, and not with a quality of nothing.
fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, &header::ACCEPT_ENCODING).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let refused = parts.any(|part| {
            part.strip_prefix("q=").is_some_and(|quality| quality.parse::<f32>().is_ok_and(|quality| quality <= 0.0))
        });
        named && !refused
    })
}

/// Whether a client has what this tag names.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    listed(headers, &header::IF_NONE_MATCH)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// The items of a header that is a list.
fn listed<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> impl Iterator<Item = &'h str> {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn gzip_is_sent_to_whoever_names_it_and_does_not_refuse_it() {
        for taken in ["gzip", "br, gzip", "deflate;q=0.5, GZIP;q=0.1", "gzip; q=1.0"] {
            assert!(takes_gzip(&with(header::ACCEPT_ENCODING, taken)), "{taken}");
        }
        for refused in ["", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip2", "identity"] {
            assert!(!takes_gzip(&with(header::ACCEPT_ENCODING, refused)), "{refused}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_tag_is_known_by_itself_in_a_list_or_by_a_star() {
        for known in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(is_known(&with(header::IF_NONE_MATCH, known), "\"a\""), "{known}");
        }
        for unknown in ["", "\"b\"", "a", "\"a-gzip\""] {
            assert!(!is_known(&with(header::IF_NONE_MATCH, unknown), "\"a\""), "{unknown}");
        }
    }
}
