import type { Change } from '../mutant.ts'

export const EXPIRY: readonly Change[] = [
  {
    name: 'a stalled server advances the synced-through time',
    file: 'domain/chain/chain-knowledge.ts',
    in: 'recordedThrough',
    find: "time.state !== 'ok' || ",
    replace: '',
    killedBy: {
      file: 'domain/chain/chain-knowledge.test.ts',
      test: 'a stalled server and a wrong clock leave the recorded time where it is',
    },
    withinSeeds: 4_000,
  },
  {
    name: 'an invoice closes while a payment that left the mempool can still be mined',
    file: 'domain/sale/invoice-state.ts',
    in: 'openUntilHeightOf',
    find: 'return syncedThrough < watchUntil ? minableUntil(dropped, tip) : null',
    replace: 'return null',
    killedBy: { file: 'workers/chain/decisions.test.ts', test: 'an invoice whose payment vanished expires once' },
    withinSeeds: 1_000,
  },
  {
    name: 'an invoice with the full amount received closes at its expiry before it is confirmed',
    file: 'domain/sale/invoice-state.ts',
    in: 'decide',
    find: 'const full = dueZat === 0n',
    replace: 'const full = dueZat === 0n && (openBecause !== null || isClosed(before))',
    withinSeeds: 200,
  },
  {
    name: 'invoice.underpaid is raised more than once',
    file: 'domain/sale/invoice-event.ts',
    in: 'invoiceEventsOf',
    find: "becomes('underpaid') && before.underpaidAt === null",
    replace: "becomes('underpaid')",
    killedBy: {
      file: 'workers/chain/decisions.test.ts',
      test: 'a payment that is dropped and returns raises invoice.underpaid once',
    },
    withinSeeds: 1_000,
  },
]
