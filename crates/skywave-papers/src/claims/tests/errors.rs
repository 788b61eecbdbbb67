//! Mistakes in a file of claims.

use super::{claims, paper};

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

#[test]
fn an_unknown_key_is_shown_in_its_place() {
    insta::assert_snapshot!("unknown_key", error("colour = \"red\""));
    insta::assert_snapshot!(
        "unknown_key_in_data",
        error("[[claim.measure.bound]]\ndata = { experiment = \"fig\", att = {} }")
    );
}
