//! Scenario files, from the outside: what they become, and what is said of wrong ones.

mod example;
