//! A code, and for whom it is still good.
//!
//! Any number of hosts may be asked at a time whether they know it: until a host confirms, it has guessed nothing and
//! learnt nothing. What counts is done at once when a confirmation comes.

use crate::key::PublicKey;

use crate::auth::code::Code;

/// Wrong guesses, after which a code is not good any more.
const TRIES: u32 = 3;

/// A code that the side that listens knows.
pub(super) struct Pass {
    code: Code,
    wrong: u32,
    /// Host that confirmed the code first: nobody else has a use of the code from then on.
    owner: Option<PublicKey>,
    /// A transfer under it is done.
    is_used: bool,
}

/// Result of a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Right,
    /// So many tries are left.
    Wrong(u32),
    /// The code is not good for this host.
    Vain,
}

impl Pass {
    pub(super) fn new(code: Code) -> Self {
        Self {
            code,
            wrong: 0,
            owner: None,
            is_used: false,
        }
    }

    fn is_good_for(&self, host: PublicKey) -> bool {
        let is_theirs = self.owner.is_none_or(|owner| owner == host);
        is_theirs && !self.is_used && self.wrong < TRIES
    }

    /// The code, if this host may show that it knows it.
    pub(super) fn code_for(&self, host: PublicKey) -> Option<Code> {
        self.is_good_for(host).then(|| self.code.clone())
    }

    /// Counts a host's confirmation.
    pub(super) fn judge(&mut self, host: PublicKey, is_right: bool) -> Guess {
        if !self.is_good_for(host) {
            Guess::Vain
        } else if is_right {
            self.owner = Some(host);
            Guess::Right
        } else {
            self.wrong += 1;
            Guess::Wrong(TRIES - self.wrong)
        }
    }

    /// Whether this host has shown that it knows the code.
    pub(super) fn is_known_to(&self, host: PublicKey) -> bool {
        self.owner == Some(host)
    }

    /// Whether this host has shown it and is not done.
    pub(super) fn awaits(&self, host: PublicKey) -> bool {
        self.is_known_to(host) && !self.is_used
    }

    /// A host is done. Says whether it came by the code.
    pub(super) fn leave(&mut self, host: PublicKey) -> bool {
        self.is_used |= self.is_known_to(host);
        self.is_known_to(host)
    }
}

#[cfg(test)]
mod tests {
    use crate::key::SecretKey;

    use super::*;

    fn pass() -> (Pass, PublicKey, PublicKey) {
        let host = |n| SecretKey::from_bytes([n; 32]).public();
        let code = "3k7d-x9qm".parse().expect("a code");
        (Pass::new(code), host(1), host(4))
    }

    #[test]
    fn who_confirms_first_keeps_the_code_until_it_is_done() {
        let (mut pass, first, second) = pass();
        assert!(pass.code_for(first).is_some() && pass.code_for(second).is_some());
        assert_eq!(pass.judge(first, true), Guess::Right);
        assert_eq!(pass.judge(second, true), Guess::Vain);
        assert!(pass.code_for(second).is_none());
        // It never heard that it was right.
        assert_eq!(pass.judge(first, true), Guess::Right);
        assert!(!pass.leave(second) && pass.awaits(first));
        assert!(pass.leave(first) && !pass.awaits(first));
        assert!(pass.code_for(first).is_none() && pass.is_known_to(first));
    }

    #[test]
    fn three_wrong_guesses_end_a_code_whoever_is_asked_meanwhile() {
        let (mut pass, first, second) = pass();
        for left in [2, 1, 0] {
            assert_eq!(pass.judge(second, false), Guess::Wrong(left));
        }
        assert_eq!(pass.judge(first, true), Guess::Vain);
        assert!(pass.code_for(first).is_none());
    }
}
