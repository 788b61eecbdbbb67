//! Mistakes in a file of claims.

use super::{claims, paper};
use crate::claims::ClaimsError;
use crate::file::FileError;

fn error(measure: &str) -> String {
    paper(&claims(measure))
        .expect_err("it has a mistake")
        .to_string()
}

#[test]
fn what_a_claim_refers_to_must_exist() {
    let bound = |data: &str| {
        error(&format!(
            "[[claim.measure.bound]]\ndata = {data}\nat_most = 1.0"
        ))
    };
    let at = "at = { variant = \"reno\", loss = 0.01 }";
    insta::assert_snapshot!(
        "references",
        [
            bound("{ experiment = \"fog\" }"),
            bound("{ experiment = \"fig\", at = { varaint = \"reno\" } }"),
            bound("{ experiment = \"fig\", at = { loss = 0.03 } }"),
            bound("{ experiment = \"fig\", at = { loss = 0.01 } }"),
            bound(&format!(
                "{{ experiment = \"fig\", {at}, flow = \"bluk\" }}"
            )),
            bound(&format!(
                "{{ experiment = \"fig\", {at}, link = \"water\" }}"
            )),
            bound(&format!(
                "{{ experiment = \"fig\", {at}, metric = \"speed\" }}"
            )),
            bound(&format!(
                "{{ experiment = \"fig\", {at}, flow = \"bulk\", link = \"air\" }}"
            )),
        ]
        .join("\n")
    );
}

#[test]
fn a_measure_must_be_complete() {
    let data = "data = { experiment = \"fig\", at = { loss = 0.01 } }";
    insta::assert_snapshot!(
        "measures",
        [
            error(""),
            error("not_testable = \"no\"\n[[claim.measure.order]]\norder = [\"cerl\", \"reno\"]\ndata = { experiment = \"fig\", at = { loss = 0.01 } }"),
            error(&format!("[[claim.measure.order]]\n{data}\norder = [\"cerl\"]")),
            error(&format!("[[claim.measure.order]]\n{data}\norder = [\"cerl\", []]")),
            error(&format!("[[claim.measure.bound]]\n{data}")),
            error(&format!("[[claim.measure.trend]]\n{data}\nalong = {{ parameter = \"loss\" }}\nby = \"variant\"\ndirection = \"falling\"")),
            error(&format!("[[claim.measure.first]]\n{data}\nfirst = \"cerl\"\namong = [\"cerl\"]")),
            error("[[claim.measure.first]]\ndata = { experiment = \"fig\" }\nfirst = \"cerl\"\nalong = { parameter = \"loss\", from = 0.5 }"),
            error("[[claim.measure.value]]\ndata = { experiment = \"fig\", at = { loss = 0.01 } }\npaper = { cerl = 1 }\nunit = \"furlongs\""),
            error(&format!("[[claim.measure.order]]\n{data}\norder = [\"cerl\", \"reno\"]\n[[claim.measure.order]]\n{data}\norder = [\"cerl\", \"reno\"]")),
        ]
        .join("\n")
    );
}

#[test]
fn two_claims_of_one_id_are_refused() {
    let one = claims("not_testable = \"because\"");
    let second = one.split("[[claim]]").nth(1).expect("there is a claim");
    let error = paper(&format!("{one}\n[[claim]]{second}")).expect_err("it is twice there");
    insta::assert_snapshot!("twice", error.to_string());
}

/// As printed: the line with the mistake, and what may have been meant.
#[test]
fn mistakes_are_shown_as_in_scenarios() {
    let shown = |measure: &str| {
        let error = paper(&claims(measure)).expect_err("it has a mistake");
        match error {
            ClaimsError::File(FileError::Mistake { shown, .. }) => shown.render(false),
            other => panic!("{other}"),
        }
    };
    let bound = |data: &str| {
        shown(&format!(
            "[[claim.measure.bound]]\ndata = {data}\nat_most = 1.0"
        ))
    };
    let baseline = "not_testable = \"no\"\n[[baseline]]\nsender = \"cerl\"\nwhy = \"it differs\"\n";
    insta::assert_snapshot!(
        "shown",
        [
            shown("notes = \"a slip\"\nfigrue = \"another\""),
            bound("{ experiment = \"fgi\" }"),
            bound("{ experiment = \"fig\", at = { varaint = \"reno\" } }"),
            bound("{ experiment = \"fig\", at = { loss = 0.03 } }"),
            bound("{ experiment = \"fig\", at = { loss = [1] } }"),
            bound("{ experiment = \"fig\", metric = 3 }"),
            shown("[[claim.measure.value]]\ndata = { experiment = \"fig\" }\npaper = 0.99"),
            shown(&format!(
                "{baseline}[[baseline.evidence]]\nprogram = \"ns-2\"\nsource = \"a table\"\n\
                 data = {{ experiment = \"fog\" }}\nbaseline = [1.0, 0.1]\npaper = 1.0\n\
                 over = {{ sender = \"reno\", measured = [1.0, 0.1] }}\n\
                 mechanism = {{ sender = \"cerl\", measured = [1.0, 0.1] }}\n"
            )),
        ]
        .join("\n")
    );
}

#[test]
fn an_unknown_key_is_shown_in_its_place() {
    insta::assert_snapshot!("unknown_key", error("colour = \"red\""));
    insta::assert_snapshot!(
        "unknown_key_in_data",
        error("[[claim.measure.bound]]\ndata = { experiment = \"fig\", att = {} }")
    );
}

#[test]
fn limits_between_which_no_number_lies() {
    let data = "data = { experiment = \"fig\", at = { loss = 0.01 } }";
    let said = error(&format!(
        "[[claim.measure.bound]]\n{data}\nat_least = 0.5\nat_most = 0.2"
    ));
    assert!(said.contains("`at_least` is above `at_most`"), "{said}");
}
