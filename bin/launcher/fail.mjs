/** A start that cannot go on, in words for the person at the terminal. */
export class LaunchError extends Error {
  /** @param {string} message what is wrong and what to do about it  @param {number} exitCode */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Stdout belongs to the command (it may be JSON), so the launcher only ever speaks on stderr. */
export function say(line) {
  process.stderr.write(`zatgate: ${line}\n`)
}
