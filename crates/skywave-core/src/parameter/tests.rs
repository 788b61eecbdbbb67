use super::*;

parameters! {
    /// A lamp that blinks.
    #[derive(Clone, Debug, PartialEq)]
    struct Lamp as "lamp" check Lamp::check {
        /// Share of the full power.
        // No user reads this.
        power: f64 = 0.5, Probability;
        /// How long
        /// it is on.
        on: Duration = Duration::from_micros(3125), Period.no_shorter_than(Duration::from_millis(1));
        /// How long it is off.
        off: Option<Duration> = None, Period.or("as long as it is on");
        /// It has steps.
        dimmed: bool = false, Flag;
        +
        /// No parameter by itself.
        steps: u32 = 3;
        also {
            Field::within(Kind::Count, "steps", "Number of steps", |c: &mut Self| {
                if c.dimmed {
                    Ok(&mut c.steps)
                } else {
                    Err(Refusal::new("no steps", "add `dimmed = true`"))
                }
            })
            .up_to(9),
        }
    }
}

impl Lamp {
    fn check(&self) -> Result<(), Refusal> {
        if self.off.is_some_and(|off| off < self.on) {
            let advice = format!("`on` is {:?}", self.on);
            return Err(Refusal::of(&["off", "on"], "`off` is below `on`", advice));
        }
        Ok(())
    }
}

#[test]
fn a_parameter_is_printed_with_its_default() {
    let texts: Vec<String> = Lamp::PARAMETERS
        .iter()
        .enumerate()
        .map(|(place, parameter)| parameter.described(Lamp::DEFAULT.get(place).as_ref()))
        .collect();
    let expected = [
        "Share of the full power; default 0.5.",
        "How long it is on; default \"3.125ms\".",
        "How long it is off; default as long as it is on.",
        "It has steps; default false.",
        // It has no value beside `dimmed = false`.
        "Number of steps; default none.",
    ];
    assert_eq!(texts, expected);
    assert_eq!(Lamp::KEYS, ["power", "on", "off", "dimmed", "steps"]);
}

#[test]
fn values_are_set_in_order_and_within_their_bounds() {
    let mut lamp = Lamp::DEFAULT;
    let refused = |result: Result<(), Refusal>| result.unwrap_err().message;
    assert_eq!(refused(lamp.set(4, Value::Count(2))), "no steps");
    assert_eq!(lamp.set(3, Value::Flag(true)), Ok(()));
    assert_eq!(lamp.set(4, Value::Count(2)), Ok(()));
    assert_eq!(lamp.get(4), Some(Value::Count(2)));
    assert_eq!(
        refused(lamp.set(4, Value::Count(10))),
        "`steps` must be at most 9"
    );
    let short = Value::Period(Duration::from_micros(999));
    assert_eq!(refused(lamp.set(1, short)), "`on` must be at least 1ms");
    assert_eq!(lamp.set(0, Value::Flag(true)), Err(Refusal::KIND));
    assert_eq!(lamp.set(9, Value::Flag(true)), Err(Refusal::KIND));
    assert_eq!(lamp.check(), Ok(()));
    assert_eq!(lamp.set(2, Value::Period(Duration::from_millis(1))), Ok(()));
    assert_eq!(lamp.check().unwrap_err().keys, ["off", "on"]);
}

#[test]
fn times_have_the_unit_that_people_would_take() {
    let words = |nanos| in_words(Duration::from_nanos(nanos));
    let times = [0, 15, 10_000, 3_125_000, 100_000_000, 1_500_000_000];
    let expected = ["0ns", "15ns", "10us", "3.125ms", "100ms", "1.5s"];
    assert_eq!(times.map(words), expected);
    assert_eq!(words(1_800_000_000_000), "30min");
    assert_eq!(words(90_000_000_000), "90s");
}
