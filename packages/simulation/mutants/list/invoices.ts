import type { Change } from '../mutant.ts'

export const INVOICES: readonly Change[] = [
  {
    name: 'the amount left to pay stays that of the creation',
    file: 'store/repository/sale/invoice.ts',
    in: 'EVALUATED',
    find: "({ changedBy }) => changedBy === 'evaluation'",
    replace: "({ changedBy, startsAs }) => changedBy === 'evaluation' && startsAs === undefined",
    killedBy: { file: 'store/sqlite/store.test.ts', test: 'all fields of an outcome are recorded' },
    withinSeeds: 50,
  },
  {
    name: 'a replayed idempotency key counts as a write that extends the watch of the viewing key',
    file: 'services/sale/invoice.ts',
    in: 'insert',
    find: 'const watched = await watchedUntil(tx, draft)',
    replace: `const all = ((deps as { all?: Map<number, number> }).all ??= new Map())
    const watched = all.get(draft.invoice.viewingKeyId) ?? (await watchedUntil(tx, draft))
    all.set(draft.invoice.viewingKeyId, Math.max(watched!, draft.invoice.watchUntil))`,
    killedBy: { file: 'services/sale/invoice.test.ts', test: 'a key is watched as long as each of its invoices' },
    withinSeeds: 2_000,
  },
  {
    name: 'a repeated idempotency key with another body returns the first invoice',
    file: 'services/idempotency.ts',
    in: 'replay',
    find: 'some(same => hashOf(same).equals(earlier.bodyHash))',
    replace: 'some(same => hashOf(same).length === earlier.bodyHash.length)',
    withinSeeds: 1_000,
  },
  {
    name: 'a process reads the watch of a viewing key only once',
    file: 'services/sale/invoice.ts',
    in: 'insert',
    find: 'const watched = await watchedUntil(tx, draft)',
    replace: `const all = ((deps as { all?: Map<number, number> }).all ??= new Map())
    const stored = all.get(draft.invoice.viewingKeyId) ?? (await watchedUntil(tx, draft))!
    const watched = stored < draft.invoice.watchUntil ? await watchedUntil(tx, draft) : stored
    all.set(draft.invoice.viewingKeyId, watched!)`,
    needs: ['postgres', 'operator'],
    withinSeeds: 2_000,
  },
]
