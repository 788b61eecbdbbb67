//! Policy members of a program's own that scenario files may name.

use std::fmt;

use skywave_core::tcp::custom::Custom;
use skywave_core::tcp::{CustomCongestion, CustomDetection, MEMBERS};

use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

/// The slots, as [`MEMBERS`] names them.
const CONGESTION: &str = "congestion";
const DETECTION: &str = "detection";

/// Congestion controls and loss detectors that a program adds to the built-in ones, for
/// [`Scenario::parse_with`].
///
/// ```
/// use skywave_core::Segments;
/// use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
/// use skywave_core::tcp::{CongestionControl, CustomCongestion};
/// use skywave_scenario::{CustomMembers, NoFiles, Scenario};
///
/// /// Always ten segments.
/// struct Ten;
///
/// impl CongestionControl for Ten {
///     fn grow(&mut self, _ack: &AckEvent, window: &mut Window) {
///         window.cwnd = Segments(10.0);
///     }
///     fn on_loss(&mut self, _loss: &LossEvent, _window: &Window) -> Response {
///         Response::cut_to(Segments(10.0))
///     }
///     fn on_timeout(&mut self, _timeout: &TimeoutEvent, _window: &Window) -> Response {
///         Response::restart(Segments(10.0))
///     }
/// }
///
/// let mut members = CustomMembers::default();
/// members.add_congestion(CustomCongestion::new("ten", |_| Ten))?;
/// let text = r#"
///     [[link]]
///     between = ["A", "B"]
///     rate = "1Mbps"
///     delay = "10ms"
///     [[flow]]
///     from = "A"
///     to = "B"
///     transport = { congestion = "ten" }
///     [run]
///     duration = "10s"
/// "#;
/// let scenario = Scenario::parse_with("test", "test.toml", text, &NoFiles, &members)?;
/// assert_eq!(scenario.points()[0].transport_label(0), Some("reno congestion=ten"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Scenario::parse_with`]: crate::Scenario::parse_with
#[derive(Clone, Debug, Default)]
pub struct CustomMembers {
    congestion: Vec<CustomCongestion>,
    detection: Vec<CustomDetection>,
}

impl CustomMembers {
    /// Adds a congestion control, which scenario files then take by its name: `congestion = "NAME"`. An error if a
    /// congestion control has the name already.
    pub fn add_congestion(&mut self, member: CustomCongestion) -> Result<(), NameTaken> {
        add(CONGESTION, &mut self.congestion, member)
    }

    /// Adds a loss detector, which scenario files then take by its name: `detection = "NAME"`. An error if a loss
    /// detector has the name already.
    pub fn add_detection(&mut self, member: CustomDetection) -> Result<(), NameTaken> {
        add(DETECTION, &mut self.detection, member)
    }

    /// The window law of that name.
    pub(crate) fn congestion(&self, name: &Spanned<String>) -> Result<CustomCongestion, Fault> {
        find(CONGESTION, &self.congestion, name)
    }

    /// The loss detector of that name.
    pub(crate) fn detection(&self, name: &Spanned<String>) -> Result<CustomDetection, Fault> {
        find(DETECTION, &self.detection, name)
    }
}

/// The built-in members of a slot.
fn built_in(slot: &str) -> impl Iterator<Item = &'static str> {
    let members = MEMBERS.iter().filter(move |m| m.slot == slot);
    members.map(|m| m.name)
}

fn add<T: ?Sized>(
    slot: &'static str,
    own: &mut Vec<Custom<T>>,
    member: Custom<T>,
) -> Result<(), NameTaken> {
    let name = member.name();
    if own.iter().any(|m| m.name() == name) || built_in(slot).any(|known| known == name) {
        let name = name.to_owned();
        return Err(NameTaken { slot, name });
    }
    own.push(member);
    Ok(())
}

fn find<T: ?Sized>(
    slot: &str,
    own: &[Custom<T>],
    name: &Spanned<String>,
) -> Result<Custom<T>, Fault> {
    let found = own.iter().find(|m| m.name() == name.value);
    found.cloned().ok_or_else(|| {
        let mut known: Vec<&str> = built_in(slot).collect();
        known.extend(own.iter().map(Custom::name));
        unknown(slot, &name.value, &known).at(&name.span)
    })
}

/// Error for a congestion control or loss detector whose name another one has already: a scenario file could not tell
/// the two apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTaken {
    slot: &'static str,
    name: String,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slot, name } = self;
        write!(f, "there is a `{slot}` called `{name}` already")
    }
}

impl std::error::Error for NameTaken {}
