import type { Rule } from '../rules.ts'
/** The readable record of a run: what happened in the world and in the service, in order. */
export class Story {
  readonly lines: string[] = []
  readonly #startMs: number
  readonly #now: () => number
  #last = ''

  constructor(now: () => number) {
    this.#now = now
    this.#startMs = now()
  }

  /** @param who a process, or a part of the world */
  tell(who: string, text: string): void {
    const at = `${((this.#now() - this.#startMs) / 1000).toFixed(1)} s`
    const shown = at === this.#last ? '' : at
    this.#last = at
    this.lines.push(`${shown.padStart(11)}  ${who.padEnd(10)} ${text}`)
  }
}

/** Where an unexpected error comes from. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A rule of the contract that was broken. The first one ends the run. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly rule: Rule

  constructor(rule: Rule, detail: string) {
    super(`${rule}: ${detail}`)
    this.rule = rule
  }
}
