//! Lowering of a member of a policy slot: its configuration, and what results call it.

use skywave_core::tcp::Slot;
use skywave_core::tcp::slot::{Form, Kind, Parameter, Value};

use crate::model::member::{Given, MemberModel, written};
use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

impl<S: Slot> MemberModel<S> {
    /// The member, and its name with the parameters that results tell; `own` finds a member of the
    /// calling program's own.
    pub(crate) fn lower(
        &self,
        own: impl FnOnce(&Spanned<String>) -> Result<S, Fault>,
    ) -> Result<(S, String), Fault> {
        match self {
            Self::Own(name) => Ok((own(name)?, name.value.clone())),
            Self::BuiltIn { member, given, .. } => {
                let default = S::defaults().swap_remove(*member);
                let config = with_parameters(&default, given)?;
                let label = label(*member, given, &config, &default);
                Ok((config, label))
            }
        }
    }
}

/// For a slot that takes no members of a program's own.
pub(crate) fn closed<S: Slot>(name: &Spanned<String>) -> Result<S, Fault> {
    Err(unknown(S::NAME, &name.value, S::NAMES).at(&name.span))
}

fn with_parameters<S: Slot>(default: &S, given: &Given) -> Result<S, Fault> {
    let mut config = default.clone();
    for (place, value) in given.iter().enumerate() {
        if let Some(value) = value {
            config.set(place, value.value).map_err(|refusal| {
                Fault::new(value.span.clone(), refusal.message).label(refusal.advice)
            })?;
        }
    }
    Ok(config)
}

/// The member's name with the parameters that differ from their defaults, or that the file gives where
/// the slot wants those named.
fn label<S: Slot>(member: usize, given: &Given, config: &S, default: &S) -> String {
    let member = &S::MEMBERS[member];
    let told = member.parameters.iter().enumerate().filter_map(|(i, p)| {
        let value = config.get(i)?;
        let is_given = given.get(i).is_some_and(Option::is_some);
        let differs = default.get(i) != Some(value);
        (differs || is_given && S::LABELS_GIVEN && is_measured(p)).then(|| told(p, value))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        member.name.to_owned()
    } else {
        format!("{}({})", member.name, told.join(", "))
    }
}

/// A number or a length of time: what a sweep goes over.
fn is_measured(parameter: &Parameter) -> bool {
    match parameter.kind {
        Kind::Positive | Kind::Probability | Kind::Count | Kind::Period => true,
        Kind::Flag | Kind::OneOf(_) => false,
    }
}

fn told(parameter: &Parameter, value: Value) -> String {
    let name = parameter.name;
    match (value, parameter.form) {
        (Value::Flag(true), _) => name.to_owned(),
        (_, Form::Named) => format!("{name}={}", written(parameter, value)),
        (_, Form::ByValue | Form::Alone) => written(parameter, value),
    }
}
