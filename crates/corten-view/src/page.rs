//! The page's files, as `./tools/web` made them.

use std::borrow::Cow;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets/"]
#[allow_missing = true]
struct Bundle;

/// What is served in its place.
pub const MISSING: &str = "The page is not part of this build: make it with './tools/web' (needs Node) and build again.\n";

/// Whether the page is part of this build.
pub fn is_built() -> bool {
    Bundle::get("index.html").is_some()
}

/// A file of the page, and its type.
pub fn file(path: &str) -> Option<(&'static str, Cow<'static, [u8]>)> {
    let kind = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    };
    Some((kind, Bundle::get(path)?.data))
}
