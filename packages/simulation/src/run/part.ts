import type { WorkerName } from '@zatgate/server/background'
import type { Config } from '@zatgate/server/config/settings'
import type { Overrides } from '@zatgate/server/infrastructure'
import type { Draw } from '../runtime/draw.ts'
import type { ServiceProcess } from '../service/process.ts'
import type { World } from '../world/world.ts'

/** Something that can happen in the world. */
export interface Action {
  /** Unique; names it in plans and stories, such as `pay part`. */
  readonly name: string
  readonly weight: number
  /** Set when the action injects a fault: its description. For `--faults list` and the coverage. */
  readonly fault?: string
  /**
   * Changes the world, or starts work of a client with `world.client`. It takes its random values from `draw` and its
   * targets from the present state, and does nothing when it has no target. It may let time pass, and must not await the
   * service.
   * @returns a line of the story; undefined when nothing happened
   */
  run(draw: Draw): string | undefined | Promise<string | undefined>
}

/** @param description of the fault that the action injects. Default: it injects none */
export function action(name: string, weight: number, run: Action['run'], description?: string): Action {
  return { name, weight, run, ...(description !== undefined && { fault: description }) }
}

/** An action that injects a fault. */
export function fault(name: string, weight: number, description: string, run: Action['run']): Action {
  return { name, weight, fault: description, run }
}

/** Names of state transitions. @param steps the next states of each state; `·` is the state before the first one */
export function transitionsOf(noun: string, steps: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(steps).flatMap(([before, afters]) => afters.map(after => `${noun} ${before} → ${after}`))
}

/** A theme of the world: what may happen, and what must hold. One instance serves one run. */
export interface Part {
  readonly actions: readonly Action[]
  /** Adapters of a process. */
  ports?(process: ServiceProcess): Overrides
  /** Workers of the service that the part needs in addition to chain sync and expiry. */
  readonly workers?: readonly WorkerName[]
  /** Settings of all processes. */
  readonly config?: Partial<Config>
  /** State transitions that are known to be possible, such as `invoice pending → paid`, for the coverage. */
  readonly transitions?: readonly string[]
  /** Prepares the world after the first process has started, and before faults begin. */
  setUp?(): Promise<void>
  /** Starts work of clients that a fail-over of the database will interrupt. Its data will be lost. */
  beforeFailOver?(draw: Draw): Promise<void>
  /** Called right after the fail-over. */
  afterFailOver?(draw: Draw): void
  /** Checks what must hold after every commit. Reports with `world.fail`. */
  onCommit?(): void
  /** Called with each entry of the log of a process, of all levels. */
  onLog?(details: object, message: string): void
  /** A fact that the service should have reported a while after all faults have ended, before the next block; null: none. */
  unreported?(): string | null
  /** Ends all faults of this part. The run then goes on until everything has settled. */
  heal?(): void
  /**
   * Ends the faults of this part that outlast all others: called when everything else has settled in spite of them.
   * @returns a line of the story; null when there were no such faults
   */
  healLast?(): string | null
  /** After `heal`: why the part has not settled yet; null when it has. */
  unsettled?(): string | null
  /** Checks what must hold after everything has settled. */
  atEnd?(): void | Promise<void>
}

/** Creates a part for a run. */
export interface PartFactory {
  readonly name: string
  /** The probability that a seed includes the part; 1: always. */
  readonly probability: number
  create(world: World): Part
}
