//! The pages in `docs/mechanisms`: their scenarios are right, their links lead somewhere, their plots are
//! drawn, and every preset and member has a page. Scenarios and plots of `cerl.md` are in `cerl/`, those of several
//! pages in `shared/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use skywave_core::tcp::preset::{MEMBERS, PRESETS};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn folder() -> PathBuf {
    docs().join("mechanisms")
}

/// The files with this ending in the folder and in those of its pages, by their paths in it.
fn files(ending: &str) -> BTreeMap<String, PathBuf> {
    let mut all = files_in(&folder(), ending);
    for of in folders() {
        let inside = files_in(&folder().join(&of), ending);
        all.extend(
            inside
                .into_iter()
                .map(|(name, path)| (format!("{of}/{name}"), path)),
        );
    }
    all
}

/// The folders of pages, by name.
fn folders() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let names = paths.filter(|path| path.is_dir());
    names
        .map(|path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

fn files_in(folder: &Path, ending: &str) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (name.into_owned(), path)
        })
        .collect()
}

fn pages() -> BTreeMap<String, String> {
    let read = |path: PathBuf| fs::read_to_string(path).expect("it can be read");
    let pages: BTreeMap<_, _> = files("md")
        .into_iter()
        .map(|(name, path)| (name, read(path)))
        .collect();
    assert!(pages.len() > 10, "only {} pages", pages.len());
    pages
}

/// The targets of a page's links and images, as written.
fn links(page: &str) -> BTreeSet<&str> {
    let targets = page.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).collect()
}

#[test]
fn their_scenarios_load_and_have_plots() {
    let scenarios = files("toml");
    assert!(scenarios.len() > 10, "only {} scenarios", scenarios.len());
    load_and_have_plots(scenarios, &files("svg"));
    for of in folders() {
        let page = folder().join(format!("{of}.md"));
        assert!(of == "shared" || page.exists(), "no page of folder {of}");
    }
}

/// The page of links has a scenario and a plot of each preset but CDPD's, and shows them all.
#[test]
fn the_page_of_links_shows_its_scenarios() {
    let folder = docs().join("links");
    let (scenarios, plots) = (files_in(&folder, "toml"), files_in(&folder, "svg"));
    let names: Vec<&str> = scenarios.keys().map(String::as_str).collect();
    assert_eq!(names, ["dsl.toml", "leo.toml", "lte.toml", "wifi.toml"]);
    let page = fs::read_to_string(docs().join("links.md")).expect("the page is there");
    let shown = links(&page);
    for name in plots.keys() {
        assert!(shown.contains(format!("links/{name}").as_str()), "{name}");
    }
    load_and_have_plots(scenarios, &plots);
}

fn load_and_have_plots(scenarios: BTreeMap<String, PathBuf>, plots: &BTreeMap<String, PathBuf>) {
    for (name, path) in scenarios {
        let loaded = skywave_lab::folder::load(&path);
        assert!(loaded.is_ok(), "{}", loaded.unwrap_err().render(false));
        let start = name.replace(".toml", "-");
        let drawn = plots.keys().any(|plot| plot.starts_with(&start));
        assert!(drawn, "no plot of {name}: make plots");
    }
}

#[test]
fn their_links_lead_somewhere() {
    let pages = pages();
    for (name, page) in &pages {
        for link in links(page).into_iter().filter(|l| !l.starts_with("http")) {
            let file = link.split('#').next().unwrap_or(link);
            assert!(folder().join(file).exists(), "{name}: nothing at {link}");
        }
    }
    let index = links(&pages["README.md"]);
    for name in pages.keys().filter(|name| *name != "README.md") {
        assert!(index.contains(name.as_str()), "{name} is not in the index");
    }
}

#[test]
fn their_plots_are_small_shown_and_of_a_scenario() {
    let pages = pages();
    let scenarios = files("toml");
    let shown: BTreeSet<&str> = pages.values().flat_map(|page| links(page)).collect();
    for (name, path) in files("svg") {
        let svg = fs::read_to_string(&path).expect("it can be read");
        assert!(svg.starts_with("<svg") && svg.len() < 40_000, "{name}");
        assert!(shown.contains(name.as_str()), "no page shows {name}");
        let of = |toml: &String| name.starts_with(&toml.replace(".toml", "-"));
        assert!(scenarios.keys().any(of), "{name} is of no scenario");
    }
}

#[test]
fn every_preset_and_member_has_a_page() {
    let text: String = pages().into_values().collect();
    let named = |name: &str| {
        ["`", "\""]
            .iter()
            .any(|quote| text.contains(&format!("{quote}{name}{quote}")))
    };
    for preset in PRESETS.iter() {
        let name = preset.name;
        assert!(
            named(name),
            "no page in docs/mechanisms names the preset `{name}`"
        );
    }
    // How a receiver acknowledges is described in docs/scenarios.md.
    for member in MEMBERS.iter().filter(|member| member.slot != "acking") {
        let (slot, name) = (member.slot, member.name);
        assert!(
            named(name),
            "no page in docs/mechanisms names `{name}` of slot {slot}"
        );
    }
}
