import { type Config, type Env, loadConfig } from '../config/settings.ts'
import type { Output } from './output.ts'
import type { StartSandbox } from './sandbox.ts'

/** The environment a command runs in. */
export interface Context {
  readonly env: Env
  readonly out: Output
  /** Undefined when the sandbox package is not installed. */
  readonly startSandbox: StartSandbox | undefined
  /** Loads the settings on demand: commands about a key or a file need none. */
  config(): Config
}

export function createContext(out: Output, startSandbox: StartSandbox | undefined, env: Env): Context {
  return { env, out, startSandbox, config: () => loadConfig(env) }
}
