import type { Context } from './context.ts'

export interface Command {
  /** One word, or two separated by a space. */
  readonly name: string
  readonly summary: string
  /** One line that lists every argument. */
  readonly usage: string
  /** Each argument with its meaning. */
  readonly arguments: readonly (readonly [argument: string, meaning: string])[]
  /** A command line, without `zatgate`. */
  readonly example: string
  /** @returns the exit code; undefined means 0 */
  run(args: readonly string[], context: Context): Promise<number | undefined>
}
