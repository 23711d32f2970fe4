import { type Config, type Env, loadConfig } from '../config/settings.ts'
import type { Output } from './output.ts'
import type { StartSandbox, TryOut } from './sandbox.ts'

/** The environment a command runs in. */
export interface Context {
  readonly env: Env
  readonly out: Output
  /** Undefined when the sandbox package is not installed. */
  readonly startSandbox: StartSandbox | undefined
  /** The same. */
  readonly tryOut: TryOut | undefined
  /**
   * Loads the settings on demand: commands about a key or a file need none.
   * @param needsMail Whether those of the mail server must be set. Default: false
   */
  config(options?: { needsMail: boolean }): Config
}

/** The functions that the sandbox package adds to the commands. */
export type SandboxParts = Partial<Pick<Context, 'startSandbox' | 'tryOut'>>

export function createContext(out: Output, { startSandbox, tryOut }: SandboxParts, env: Env): Context {
  return {
    env,
    out,
    startSandbox,
    tryOut,
    config: ({ needsMail } = { needsMail: false }) => loadConfig(env, { needsMail }),
  }
}
