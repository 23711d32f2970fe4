/** A launch failure. The message is printed as it is. */
export class LaunchError extends Error {
  /** @param {string} message the problem and how to fix it  @param {number} exitCode */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Writes a line to stderr. Stdout is reserved for the command's output, which may be JSON. */
export function printStatus(line) {
  process.stderr.write(`zatgate: ${line}\n`)
}
