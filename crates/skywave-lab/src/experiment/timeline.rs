//! The activities of a station over time, as stored: start, end and activity of each span.

use serde_json::{Value, json};
use skywave_sim::outcome::{Activity, Span};

/// List of all activities of a radio station (sending, receiving, …) with their names in files and results.
pub const ACTIVITIES: [(Activity, &str); 6] = [
    (Activity::Sends, "sends"),
    (Activity::Receives, "receives"),
    (Activity::Senses, "senses"),
    (Activity::Reserved, "reserved"),
    (Activity::BacksOff, "backs off"),
    (Activity::Idle, "idle"),
];

/// Name of a radio station's activity in files and results, such as `backs off`.
pub fn name(activity: Activity) -> &'static str {
    let found = ACTIVITIES.iter().find(|(known, _)| *known == activity);
    found.map_or("", |(_, name)| name)
}

/// The spans of a station.
pub(super) fn record(timeline: &[Span]) -> Value {
    let span = |span: &Span| json!([span.from_s, span.to_s, name(span.activity)]);
    timeline.iter().map(span).collect()
}

/// The spans of a station as [`record`] has stored them; `None` when they are damaged.
pub(super) fn restore(value: &Value) -> Option<Vec<Span>> {
    let span = |value: &Value| {
        let name = value.get(2)?.as_str()?;
        let found = ACTIVITIES.iter().find(|(_, known)| *known == name)?;
        Some(Span {
            from_s: value.get(0)?.as_f64()?,
            to_s: value.get(1)?.as_f64()?,
            activity: found.0,
        })
    };
    value.as_array()?.iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back_and_damage_does_not() {
        let spans: Vec<Span> = ACTIVITIES
            .iter()
            .zip(0..)
            .map(|(&(activity, _), at)| Span {
                from_s: f64::from(at) * 0.1,
                to_s: f64::from(at) * 0.1 + 0.1,
                activity,
            })
            .collect();
        let text = record(&spans).to_string();
        let read = |text: &str| restore(&serde_json::from_str(text).unwrap());
        assert_eq!(read(&text), Some(spans));
        for wrong in [
            "7",
            "[[0.0, 1.0]]",
            "[[0.0, 1.0, \"sleeps\"]]",
            "[[0.0, \"1\", \"idle\"]]",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
