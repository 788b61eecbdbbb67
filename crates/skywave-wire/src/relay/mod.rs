//! Real packets through the links of the simulator.
