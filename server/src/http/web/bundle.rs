//! What a page needs, found out from its files: the modules that it imports, and one style out of several.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::LazyLock,
};

use super::Folder;

/// The styles of every page, in the order in which they hold.
const STYLES: [&str; 9] = ["tokens", "base", "layout", "controls", "art", "board", "play", "lobby", "money"];
/// The name under which they are one file: on a slow line each file costs a way there and back.
pub const STYLE: &str = "css/page.css";
/// The module that a page begins with.
pub const MAIN: &str = "js/main.js";

/// The styles of every page, as one.
pub fn style() -> Vec<u8> {
    let files = STYLES.iter().filter_map(|name| Folder::get(&format!("css/{name}.css")));
    files.flat_map(|file| file.data.into_owned()).collect()
}

/// Every module that a page with this view imports in the end, nearest first and without the one it begins with.
///
/// A browser that is told of them at once need not find out one after the other.
pub fn modules(view: Option<&str>) -> Vec<String> {
    let roots = [Some(MAIN.to_owned()), view.map(|name| format!("js/views/{name}.js"))];
    let mut waiting: VecDeque<String> = roots.into_iter().flatten().collect();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop_front() {
        if !seen.insert(path.clone()) {
            continue;
        }
        waiting.extend(IMPORTS.get(&path).into_iter().flatten().cloned());
        if path != MAIN {
            found.push(path);
        }
    }
    found
}

/// What each module imports at once, by its path.
static IMPORTS: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let modules = Folder::iter().filter(|name| content_is_module(name));
    let read = |name: &str| Folder::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    modules.filter_map(|name| read(&name).map(|text| (name.to_string(), imports(&name, &text)))).collect()
});

fn content_is_module(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "js")
}

/// The modules that a text imports by static `import … from "…"`, as paths of the folder.
fn imports(path: &str, text: &str) -> Vec<String> {
    let targets = text.split("from").skip(1).filter_map(|rest| {
        let quoted = rest.trim_start_matches(' ').strip_prefix('"')?;
        quoted.split_once('"').map(|(target, _)| target)
    });
    let relative = targets.filter(|target| target.starts_with('.') && content_is_module(target));
    relative.map(|target| joined(path, target)).collect()
}

/// The path that a relative one means in a module.
fn joined(module: &str, target: &str) -> String {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_however_they_are_written() {
        let text = "import { a } from \"./x.js\";\nimport {\n  b,\n} from \"../../v/y.js\";\nimport{c}from\"./z.js\";\n\
            /** @typedef {import(\"./types.d.ts\").T} T */\nconst later = () => import(\"./later.js\");";
        assert_eq!(imports("js/views/home.js", text), ["js/views/x.js", "v/y.js", "js/views/z.js"]);
    }

    #[test]
    fn a_page_names_the_modules_of_its_frame_and_of_its_view_once_each() {
        let plain = modules(None);
        let home = modules(Some("home"));
        assert!(plain.iter().any(|path| path == "js/socket.js"));
        assert!(
            home.iter().any(|path| path == "js/parts/art.js") && !plain.iter().any(|path| path == "js/parts/art.js")
        );
        assert_eq!(home.iter().collect::<HashSet<_>>().len(), home.len());
        for path in &home {
            assert!(Folder::get(path).is_some(), "{path}");
        }
    }

    #[test]
    fn every_style_but_those_of_a_few_views_is_part_of_the_one() {
        let all = Folder::iter().filter(|name| name.starts_with("css/"));
        let named: Vec<String> = STYLES.iter().map(|name| format!("css/{name}.css")).collect();
        let missing: Vec<_> = all.filter(|name| !named.iter().any(|known| known == name)).collect();
        assert_eq!(missing, ["css/admin.css"]);
        let text = String::from_utf8_lossy(&style()).into_owned();
        let (tokens, layout) = (text.find("--paper"), text.find(".head"));
        assert!(tokens.is_some() && tokens < layout, "{tokens:?} {layout:?}");
    }
}
