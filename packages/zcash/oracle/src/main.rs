//! Test cases and reference timings for `@zatgate/zcash` from the official `orchard` crate. For tests only.

mod action;
mod arguments;
mod cases;
mod decrypt;
mod encoding;
mod keys;
mod timing;

use std::io::Write;
use std::process::ExitCode;

use arguments::Arguments;

const USAGE: &str = "\
usage: zatgate-oracle cases --seed N --keys K --actions A
       zatgate-oracle time --keys K --actions A [--seconds S]

cases  prints keys, addresses, compact actions and what the orchard crate decrypts, as JSON; N (0x… for hexadecimal)
       determines the output
time   prints the rates of the orchard crate on one thread as JSON; S bounds each of the three measurements (default 2)
";

enum Failure {
    /// Invalid arguments: exit status 2.
    Usage(String),
    /// Anything else: exit status 1.
    Run(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let (message, status) = match run(&arguments) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => (message, 2),
        Err(Failure::Run(message)) => (message, 1),
    };
    eprintln!("zatgate-oracle: {message}");
    ExitCode::from(status)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (command, options) = arguments
        .split_first()
        .ok_or_else(|| Failure::Usage("the command is missing: cases or time".to_owned()))?;
    let output = match command.as_str() {
        "cases" => {
            let mut given = Arguments::parse(options).map_err(Failure::Usage)?;
            let request = cases::Request::take(&mut given).map_err(Failure::Usage)?;
            given.finish().map_err(Failure::Usage)?;
            to_json(&cases::generate(request).map_err(Failure::Run)?)
        }
        "time" => {
            let mut given = Arguments::parse(options).map_err(Failure::Usage)?;
            let request = timing::Request::take(&mut given).map_err(Failure::Usage)?;
            given.finish().map_err(Failure::Usage)?;
            to_json(&timing::measure(request))
        }
        "--help" => USAGE.to_owned(),
        other => {
            let message = format!("unknown command {other:?}: it must be cases or time");
            return Err(Failure::Usage(message));
        }
    };
    std::io::stdout()
        .write_all(output.as_bytes())
        .map_err(|error| Failure::Run(format!("cannot write the output: {error}")))
}

fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("the output has string keys only") + "\n"
}
