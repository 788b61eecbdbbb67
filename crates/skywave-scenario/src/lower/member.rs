//! Lowering of a member of a family: its configuration, and what results call it.

use skywave_core::parameter::{Family, Form, Kind, Parameter, Value};
use skywave_core::tcp::Slot;

use crate::model::member::{MemberModel, written};
use crate::model::value::{Given, filled, filled_before};
use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

impl<F: Family> MemberModel<F> {
    /// The member, of a family that has built-in ones only; `all` is its place.
    pub(crate) fn built_in(&self, all: &Span) -> Result<F, Fault> {
        self.before(all, |_, given| Ok(given.value.clone()))
    }

    /// As [`Self::built_in`], where `amount` makes amounts of times.
    pub(crate) fn before(
        &self,
        all: &Span,
        amount: impl Fn(Kind, &Spanned<Value>) -> Result<Value, Fault>,
    ) -> Result<F, Fault> {
        match self {
            Self::Own(name) => closed(name),
            Self::BuiltIn { member, given, .. } => {
                let default = F::defaults().swap_remove(*member);
                filled_before(&default, F::MEMBERS[*member].parameters, given, all, amount)
            }
        }
    }

    /// Whether the file gives a parameter of this name this value.
    pub(crate) fn says(&self, key: &str, value: &Value) -> bool {
        let Self::BuiltIn { member, given, .. } = self else {
            return false;
        };
        let mut all = F::MEMBERS[*member].keys.iter().zip(given);
        all.any(|(known, given)| {
            *known == key && given.as_ref().is_some_and(|it| it.value == *value)
        })
    }
}

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
                let given_all = given.iter().flatten().next();
                let all = given_all.map_or(0..0, |value| value.span.clone());
                let config = filled(&default, S::MEMBERS[*member].parameters, given, &all)?;
                let label = label(*member, given, &config, &default);
                Ok((config, label))
            }
        }
    }
}

/// For a family that takes no members of a program's own.
pub(crate) fn closed<F: Family>(name: &Spanned<String>) -> Result<F, Fault> {
    Err(unknown(F::NAME, &name.value, F::NAMES).at(&name.span))
}

/// The member's name with the parameters that differ from their defaults, or that the file gives where
/// the slot wants those named.
fn label<S: Slot>(member: usize, given: &Given, config: &S, default: &S) -> String {
    let member = &S::MEMBERS[member];
    let told = member.parameters.iter().enumerate().filter_map(|(i, p)| {
        let value = config.get(i)?;
        let is_given = given.get(i).is_some_and(Option::is_some);
        let differs = default.get(i).as_ref() != Some(&value);
        (differs || is_given && S::LABELS_GIVEN && is_measured(p)).then(|| told(p, &value))
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
    !matches!(parameter.kind, Kind::Flag | Kind::OneOf(_))
}

fn told(parameter: &Parameter, value: &Value) -> String {
    let name = parameter.name;
    match (value, parameter.form) {
        (Value::Flag(true), _) => name.to_owned(),
        (_, Form::Named) => format!("{name}={}", written(parameter, value)),
        (_, Form::ByValue | Form::Alone) => written(parameter, value),
    }
}
