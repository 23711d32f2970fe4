import type { Logger } from '../adapters/system/logger.ts'
import type { Config, Env } from '../config/settings.ts'
import type { MigrationWatch } from '../store/migrate.ts'

/** A running service. */
export interface RunningService {
  readonly url: string
  close(): Promise<void>
}

/** Starts the simulated network and the service on it, and prints the banner. */
export type StartSandbox = (options: {
  readonly config: Config
  readonly env: Env
  readonly logger: Logger
  readonly json: boolean
  readonly migration: MigrationWatch
}) => Promise<RunningService>

/** Creates an invoice on a simulated network, pays it, and prints a line for each step. */
export type TryOut = (print: (step: string, text: string) => void) => Promise<void>
