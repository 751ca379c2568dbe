//! Timers: how long the stages of a step take.

use corten::Stopwatch;
use corten::enums::Timer;
use corten::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = load_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/humanoid.xml"))?;
    let mut data = model.make_data();
    // Any hook whose `time` answers will do; this one has nothing else to say.
    data.hooks = Hooks::new(Stopwatch::default());
    for _ in 0..100 {
        data.step(&model)?;
    }
    for timer in [Timer::Position, Timer::Velocity, Timer::Constraint, Timer::Advance] {
        let stat = data.timer_of(timer);
        println!("{timer:?}: {:.1} us in {} calls", 1e6 * stat.duration, stat.number);
        assert_eq!(stat.number, 100);
    }
    assert!(data.timer_of(Timer::Step).duration > data.timer_of(Timer::Forward).duration);
    Ok(())
}
