import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PgClient } from '@zatgate/server/store/postgres/driver'
import { describePostgres } from '../../../../server/test/harness/databases.ts'
import { Draw } from '../../../src/runtime/draw.ts'
import { type Laboratory, openReal, openSimulated } from './laboratory.ts'
import { ClientState, type Command } from './program.ts'

const PROGRAMS = 8
const COMMANDS = 30

describePostgres('random programs have the same results on both servers', server => {
  for (const clients of [2, 3])
    for (let seed = 1; seed <= PROGRAMS; seed++)
      test(`program ${seed} of ${clients} clients`, async t => {
        const real = new Side(await openReal(server(), t))
        const simulated = new Side(await openSimulated(t))
        await compare(new Draw(seed, 'program'), clients, real, simulated)
      })
})

/** Runs one program. Ends it where PostgreSQL itself decides by chance, or where the simulated server is known to differ. */
async function compare(draw: Draw, clients: number, real: Side, simulated: Side): Promise<void> {
  const sides = [real, simulated]
  for (const side of sides) await side.open(clients)
  const states = Array.from({ length: clients }, () => new ClientState())
  const log: string[] = []
  let nextId = 100n
  for (let count = 0; count < COMMANDS; count++) {
    const index = draw.pick([...states.keys()].filter(client => !real.isWaiting(client)))
    const command = states[index]!.draw(draw, () => ++nextId)
    const waiting = real.waiting
    log.push(`${index}: ${command.sql} [${command.values}]`)
    for (const side of sides) side.send(index, command)
    const [expected, found] = [await real.ended(), await simulated.ended()]
    // Several waiting transactions may be woken in any order.
    if (waiting > 1 && !sameOutcomes(expected, found)) return
    // The simulated server does not wait for a transaction that deletes the rows which refer to a deleted one.
    if (found.get(index)?.outcome === '23503' && !expected.has(index)) return
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected), log.join('\n'))
    for (const [client, { command, failed }] of expected) states[client]!.record(command, failed)
  }
  real.disconnect()
  simulated.disconnect()
  assert.deepEqual(await simulated.content(), await real.content(), log.join('\n'))
}

function sameOutcomes(a: ReadonlyMap<number, Ended>, b: ReadonlyMap<number, Ended>): boolean {
  return a.size === b.size && [...a].every(([index, { outcome }]) => b.get(index)?.outcome === outcome)
}

interface Ended {
  readonly command: Command
  readonly failed: boolean
  /** The rows, or the code of the error. */
  readonly outcome: string
}

/** The clients of one server. */
class Side {
  readonly #laboratory: Laboratory
  readonly #clients: PgClient[] = []
  readonly #pending = new Map<number, Promise<Ended>>()

  constructor(laboratory: Laboratory) {
    this.#laboratory = laboratory
  }

  get waiting(): number {
    return this.#pending.size
  }

  isWaiting(index: number): boolean {
    return this.#pending.has(index)
  }

  async open(clients: number): Promise<void> {
    for (let index = 0; index < clients; index++) this.#clients.push(await this.#laboratory.connect())
    const [client] = this.#clients as [PgClient]
    for (const id of [1, 2, 3, 4]) {
      await client.query('insert into "items" ("id", "name", "value") values ($1, $2, $3)', [id, `item ${id}`, id * 2])
      if (id < 3) await client.query('insert into "parts" ("item_id", "value") values ($1, $2)', [id, id * 3])
    }
  }

  send(index: number, command: Command): void {
    const query = this.#clients[index]!.query(command.sql, command.values)
    const ended = query.then(
      ({ rows }) => ({ command, failed: false, outcome: rows.map(textOf).join(' ') }),
      error => ({ command, failed: true, outcome: String(error.code ?? error) }),
    )
    this.#pending.set(index, ended)
  }

  /** The commands that have ended. The others wait for locks. */
  async ended(): Promise<Map<number, Ended>> {
    const settled = new Set(await this.#laboratory.settled([...this.#pending.values()]))
    const results = new Map<number, Ended>()
    for (const [index, pending] of this.#pending) if (settled.has(pending)) results.set(index, await pending)
    for (const index of results.keys()) this.#pending.delete(index)
    return results
  }

  disconnect(): void {
    this.#laboratory.disconnect()
  }

  async content(): Promise<unknown[]> {
    const client = await this.#laboratory.connect()
    const items = await client.query('select * from "items" order by "id"', [])
    const parts = await client.query('select "item_id", "value" from "parts" order by "item_id", "value"', [])
    return [...items.rows, ...parts.rows].map(textOf)
  }
}

function textOf(row: unknown): string {
  return Object.values(row as object).join()
}
