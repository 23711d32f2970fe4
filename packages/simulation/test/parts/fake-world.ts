import { consensusParams } from '@zatgate/server/domain/chain/network-upgrade'
import type { EventRow } from '../../src/parts/event/new-events.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import { ENCRYPTION_KEY } from '../../src/service/process.ts'
import { Poison } from '../../src/world/poison.ts'
import type { World } from '../../src/world/world.ts'

/** 2026-02-01 00:00 UTC. */
export const NOW_SECS = Date.UTC(2026, 1, 1) / 1000

/** The part of a world that a judge sees. */
export interface FakeWorld {
  readonly world: World
  /** The rules that the judge has reported, in order. */
  readonly broken: string[]
  /** The rows of each statement, by a text that occurs in it. */
  readonly tables: Record<string, readonly object[]>
  /** Tells the judges that the database was replaced. */
  restore(): void
}

/** A row of the events of account 1. */
export function eventRow(seq: bigint, type: string, body: object, invoiceId: bigint | null = null): EventRow {
  const text = JSON.stringify(body)
  const row = { row: seq, account_id: 1n, seq, public_id: `event-${seq}`, created_at: BigInt(NOW_SECS) }
  return { ...row, invoice_id: invoiceId, type, body: text }
}

/** A world without a service: a judge reads the rows that the test gives. */
export function createFakeWorld(): FakeWorld {
  const broken: string[] = []
  const tables: Record<string, readonly object[]> = {}
  const listeners: (() => void)[] = []
  const scheduler = new Scheduler(1, NOW_SECS * 1000)
  scheduler.switchRate = 0
  scheduler.draw = new Draw(1)
  const world = {
    scheduler,
    nowSecs: NOW_SECS,
    maxClockAheadMs: 0,
    useCases: 1,
    poison: new Poison(),
    clockErrors: { minMs: 0, maxMs: 0, seenMs: new Set([0]) },
    isRefuted: () => false,
    network: { tip: { time: NOW_SECS } },
    encryptionKeys: () => [ENCRYPTION_KEY],
    params: consensusParams('test'),
    database: {
      committed: (sql: string) => Object.entries(tables).find(([text]) => sql.includes(text))?.[1] ?? [],
    },
    story: { tell: () => {} },
    onRestore: (listener: () => void) => listeners.push(listener),
    transition: () => {},
    fail: (rule: string) => broken.push(rule),
  }
  const restore = () => {
    for (const listener of listeners) listener()
  }
  return { world: world as unknown as World, broken, tables, restore }
}
