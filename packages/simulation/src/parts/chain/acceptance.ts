import { acceptChain } from '@zatgate/server/cli/commands/chain'
import { type Action, action } from '../../run/part.ts'
import { ServiceProcess } from '../../service/process.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'
import { reorganise } from './reorganisation.ts'

/** Reorganisations deeper than the recorded blocks: the service stops at them until the operator accepts the new chain. */
export class ChainAcceptance {
  /** The highest block below all of these reorganisations. */
  #base = Number.POSITIVE_INFINITY
  #running = false
  #failuresAfterFaults = 0
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  get actions(): readonly Action[] {
    const world = this.#world
    const { network } = world
    return [
      {
        name: 'reorganisation too deep to follow',
        weight: 4,
        fault: 'a reorganisation deeper than the recorded blocks, which the operator accepts',
        run: draw => {
          const oldest = this.#oldestRecorded()
          const depth = oldest === null ? 0 : network.height - oldest.height + draw.int(1, 5)
          if (depth < MIN_DEPTH || depth >= network.height) return undefined
          this.#base = Math.min(this.#base, network.height - depth)
          return reorganise(world, draw, depth)
        },
      },
      action('accept the chain', 4, () => {
        if (!this.#isNeeded || this.#running) return undefined
        this.#start()
        return `the operator accepts the chain from block ${this.#base} on`
      }),
    ]
  }

  /** After the faults the operator accepts the chain. */
  unsettled(): string | null {
    if (!this.#isNeeded) return null
    if (!this.#running) this.#start()
    return `the recorded chain has no block of the network's chain`
  }

  get #isNeeded(): boolean {
    const oldest = this.#oldestRecorded()
    return oldest !== null && this.#world.network.branch[oldest.height]?.hash !== oldest.hash
  }

  #oldestRecorded(): { height: number; hash: string } | null {
    const [row] = this.#world.database.committed<{ height: bigint; hash: string }>(OLDEST)
    return row ? { height: Number(row.height), hash: row.hash } : null
  }

  #start(): void {
    this.#running = true
    this.#world.client('accept the chain', () => this.#accept().finally(() => (this.#running = false)))
  }

  /** Stops the service, runs the command and starts the service. A failed command is repeated later. */
  async #accept(): Promise<void> {
    const world = this.#world
    const processes = [...world.processes]
    await Promise.all(processes.map(process => this.#stop(process)))
    const command = new ServiceProcess(world, 'command', 0)
    try {
      await command.start({ workers: [] })
      await command.call(async (_, container) => {
        const { base } = await acceptChain(container, this.#base)
        await acceptChain(container, this.#base, base.hash)
        world.story.tell('operator', `the recorded chain continues from block ${base.height}`)
      })
    } catch (error) {
      world.story.tell('operator', `cannot accept the chain: ${error instanceof Error ? error.message : error}`)
      // A failure from before the end of the faults may still arrive after it.
      if (world.healed && ++this.#failuresAfterFaults > MAX_FAILURES) throw error
    } finally {
      command.crash()
    }
    for (const [index, process] of processes.entries())
      if (world.processes[index] === process) void world.startProcess(index)
  }

  async #stop(process: ServiceProcess): Promise<void> {
    try {
      if (process.services) await process.stop()
    } catch (error) {
      if (!isExpectedFailure(error)) throw error
    } finally {
      process.crash()
    }
  }
}

const OLDEST = 'SELECT height, hash FROM headers ORDER BY height LIMIT 1'
/** Shorter ones are followed even by a service that has recorded few blocks. */
const MIN_DEPTH = 26
const MAX_FAILURES = 2
