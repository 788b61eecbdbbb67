//! Members of a user's own: a window law or a loss detector that is not built in.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::config::TcpConfig;
use super::congestion::CongestionControl;
use super::detection::LossDetector;

/// Congestion control of a user's own: its name, and how a connection makes it.
pub type CustomCongestion = Custom<dyn CongestionControl + Send>;

/// Loss detector of a user's own: its name, and how a connection makes it.
pub type CustomDetection = Custom<dyn LossDetector + Send>;

type Make<T> = dyn Fn(&TcpConfig) -> Box<T> + Send + Sync;

/// Name and constructor of a user's own congestion control or loss detector: each connection makes one of its
/// own from it.
///
/// Two are equal when they are clones of one: nobody can tell whether two functions do the same.
pub struct Custom<T: ?Sized> {
    name: Arc<str>,
    make: Arc<Make<T>>,
}

impl<T: ?Sized> Custom<T> {
    /// Name of the congestion control or loss detector in results.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A fresh member for a connection.
    pub(super) fn build(&self, config: &TcpConfig) -> Built<T> {
        Built {
            name: Arc::clone(&self.name),
            member: (self.make)(config),
        }
    }
}

impl CustomCongestion {
    /// Congestion control called `name` in results. `make` is called when a connection's sender comes into being, once
    /// more when the ends of a [`Connection`](super::Connection) have agreed on its options, and must always build the
    /// same controller from the same configuration: only then is a run repeatable.
    pub fn new<C: CongestionControl + Send + 'static>(
        name: &str,
        make: impl Fn(&TcpConfig) -> C + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Arc::new(move |config| Box::new(make(config))),
        }
    }
}

impl CustomDetection {
    /// Loss detector called `name` in results. `make` is called when a connection's sender comes into being, once more
    /// when the ends of a [`Connection`](super::Connection) have agreed on its options, and must always build the same
    /// detector from the same configuration: only then is a run repeatable.
    pub fn new<D: LossDetector + Send + 'static>(
        name: &str,
        make: impl Fn(&TcpConfig) -> D + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Arc::new(move |config| Box::new(make(config))),
        }
    }
}

impl<T: ?Sized> Clone for Custom<T> {
    fn clone(&self) -> Self {
        Self {
            name: Arc::clone(&self.name),
            make: Arc::clone(&self.make),
        }
    }
}

impl<T: ?Sized> PartialEq for Custom<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.make, &other.make)
    }
}

impl<T: ?Sized> fmt::Debug for Custom<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Custom").field(&self.name).finish()
    }
}

/// Congestion control or loss detector of a user's own, as one connection has made it.
pub struct Built<T: ?Sized> {
    name: Arc<str>,
    pub(super) member: Box<T>,
}

impl<T: ?Sized> Deref for Built<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.member
    }
}

impl<T: ?Sized> DerefMut for Built<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.member
    }
}

impl<T: ?Sized> fmt::Debug for Built<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Custom").field(&self.name).finish()
    }
}
