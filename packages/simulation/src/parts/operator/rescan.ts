import type { NoteScanner } from '@zatgate/server/ports/note-scanner'
import { type RescanResult, rescan } from '@zatgate/server/workers/chain/rescan'
import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { ConnectionLost, type ServiceProcess } from '../../service/process.ts'
import { createNoteScanner } from '../../world/chain/note-scanner.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { short } from '../sale/shop.ts'

/** Rescans at a time, so that one of them meets the chain sync at the wrong moment. */
const RACING_RESCANS = 4

/** How often it is checked whether a block is recorded. */
const MAX_WAIT_STEPS = 20

/** Steps within which the other rescans have read their blocks. */
const MAX_READING = 20

/** Notes that the scan workers miss, and the rescans by which the operator finds them. */
export class Rescans {
  readonly #world: World
  /** How many scans miss the next transaction that has a note. */
  #nextMisses = 0
  /** How many scans still miss a transaction. */
  readonly #misses = new Map<string, number>()
  #running = false
  /** How a rescan after the faults has ended well. */
  #found: 'while keys were poisoned' | 'with every key' | null = null

  constructor(world: World) {
    this.#world = world
  }

  /** A scanner that misses notes as the actions say. */
  scanner(): NoteScanner {
    const { network, scheduler, visibility } = this.#world
    const honest = createNoteScanner(network, scheduler)
    return {
      ...honest,
      scan: async (keys, transactions, options) => {
        const notes = await honest.scan(keys, transactions, options)
        const first = notes[0]
        if (first && this.#nextMisses > 0) {
          this.#misses.set(first.txid, this.#nextMisses)
          this.#nextMisses = 0
        }
        const missed = new Set(notes.map(({ txid }) => txid).filter(txid => (this.#misses.get(txid) ?? 0) > 0))
        for (const txid of missed) {
          this.#misses.set(txid, this.#misses.get(txid)! - 1)
          visibility.missed.add(txid)
          this.#world.story.tell('scanner', `misses the notes of ${short(txid)}`)
        }
        return missed.size === 0 ? notes : notes.filter(({ txid }) => !missed.has(txid))
      },
    }
  }

  get actions(): readonly Action[] {
    const world = this.#world
    const { network } = world
    return [
      fault('miss notes', 3, 'a scan worker misses the notes of a transaction', draw => {
        this.#nextMisses = draw.int(1, 4)
        return `the next ${this.#nextMisses} scans of the next payment miss it`
      }),
      action('rescan', 3, draw => {
        const from = draw.int(Math.max(1, network.height - 20), network.height)
        world.client('rescan', async () => void (await this.#rescan(draw.pick(world.processes), from)))
        return `the operator rescans from height ${from}`
      }),
      {
        name: 'rescan while the chain is reorganised',
        weight: 6,
        fault: 'a reorganisation between the reading and the recording of a rescan',
        run: draw => {
          const invoice = world.shop.invoices.at(-1)
          if (!invoice) return undefined
          pay(world, draw, [{ address: invoice.address, valueZat: invoice.amountZat }])
          world.mine()
          world.client('rescan', () => this.#rescanInReorganisation(draw, network.height))
          return `a wallet pays ${short(invoice.publicId)}; the operator rescans its block, which is then replaced`
        },
      },
    ]
  }

  /** Rescans several times once the block is recorded, and replaces it meanwhile. */
  async #rescanInReorganisation(draw: Draw, from: number): Promise<void> {
    const { database, scheduler, processes } = this.#world
    const isRecorded = () => database.committed('SELECT 1 FROM headers WHERE height = ?', from).length > 0
    for (let i = 0; i < MAX_WAIT_STEPS && !isRecorded(); i++)
      await new Promise<void>(resolve => scheduler.startTimer(500, resolve))
    const slow = this.#slowScanner(draw, from)
    if (draw.chance(0.5)) this.#world.storeFailures.late = { table: 'payments', count: 1, ms: 3_000 }
    await Promise.all(Array.from({ length: RACING_RESCANS }, () => this.#rescan(draw.pick(processes), from, slow)))
  }

  /** A scanner during whose first scan the blocks from a height on are replaced. Each scan ends a little later. */
  #slowScanner(draw: Draw, from: number): (noteScanner: NoteScanner) => NoteScanner {
    const { network, scheduler } = this.#world
    let isReorganised = false
    const yields = async (count: number) => {
      for (let i = 0; i < count; i++) await scheduler.yield()
    }
    return noteScanner => ({
      ...noteScanner,
      scan: async (keys, transactions, options) => {
        const notes = await noteScanner.scan(keys, transactions, options)
        await yields(MAX_READING)
        if (!isReorganised && !this.#world.healed) {
          isReorganised = true
          const depth = Math.min(network.height - from + 1, network.height - 1)
          network.removeBlocks(depth, () => draw.chance(0.3))
          for (let i = 0; i <= depth; i++) this.#world.mine([])
          this.#world.story.tell('world', `a reorganisation replaces ${depth} blocks`)
        }
        await yields(draw.int(0, 60))
        return notes
      },
    })
  }

  heal(): void {
    this.#nextMisses = 0
    this.#misses.clear()
  }

  /** After the faults the operator rescans what was missed. */
  unsettled(): string | null {
    const { network, visibility, running } = this.#world
    const heights = [...visibility.missed].map(txid => network.minedAt(txid)).filter(height => height !== null)
    const isPoisoned = this.#world.poison.rows.length > 0
    if (heights.length === 0 || this.#found === 'with every key' || (isPoisoned && this.#found !== null)) return null
    const process = running[0]
    if (process && !this.#running)
      this.#world.client('rescan', async () => {
        const result = await this.#rescan(process, Math.min(...heights))
        if (result !== null && result.to >= Math.max(...heights))
          this.#found = isPoisoned ? 'while keys were poisoned' : 'with every key'
      })
    return 'the operator rescans'
  }

  /** Null when the rescan has failed, which it may while a server or a process fails, or the chain is reorganised. */
  async #rescan(
    process: ServiceProcess,
    from: number,
    scannerOf = (noteScanner: NoteScanner) => noteScanner,
  ): Promise<RescanResult | null> {
    this.#running = true
    try {
      const result = await process.call(({ chainRecorder, recordedChain, scanKeys }, { infrastructure }) => {
        const { chain, noteScanner } = infrastructure
        const deps = { chain, noteScanner: scannerOf(noteScanner), chainRecorder, recordedChain, scanKeys }
        return rescan(deps, from, new AbortController().signal)
      })
      this.#world.story.tell('operator', `the rescan up to ${result.to} has changed ${result.found} invoices`)
      return result
    } catch (error) {
      if (error instanceof TypeError || error instanceof ReferenceError) throw error
      if (!(error instanceof ConnectionLost)) this.#world.story.tell('operator', `the rescan fails: ${error}`)
      return null
    } finally {
      this.#running = false
    }
  }
}
