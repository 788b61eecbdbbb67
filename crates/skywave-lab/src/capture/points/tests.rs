use super::*;

#[test]
fn names_of_files_are_plain_and_differ() {
    assert_eq!(file_name(0, "radio.reverse"), "radio.reverse.pcapng");
    assert_eq!(file_name(3, "a/b"), "linka_b~3.pcapng");
    assert_eq!(file_name(4, "../.."), "link_~4.pcapng");
    assert_ne!(file_name(5, "ü"), file_name(6, "ö"));
}

#[test]
fn a_long_list_of_links_is_cut() {
    let known: Vec<String> = (0..40).map(|i| format!("l{i}")).collect();
    let name = "x".to_owned();
    let text = Error::UnknownLink { name, known }.to_string();
    assert!(text.ends_with("`l11`, 28 more"), "{text}");
}
