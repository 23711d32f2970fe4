import type { Mutant } from '../mutant.ts'

/** Mutants of invoices and their addresses. */
export const INVOICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a replayed idempotency key counts as a write that extends the watch of the viewing key',
    theme: 'invoices',
    file: 'services/invoice.ts',
    find: 'const watched = await watchedUntil(tx, draft)',
    replace: `const all = ((deps as { all?: Map<number, number> }).all ??= new Map())
    const watched = all.get(draft.invoice.viewingKeyId) ?? (await watchedUntil(tx, draft))
    all.set(draft.invoice.viewingKeyId, Math.max(watched!, draft.invoice.watchUntil))`,
    withinSeeds: 2_000,
  },
  {
    name: 'a repeated idempotency key with another body returns the first invoice',
    theme: 'invoices',
    file: 'services/idempotency.ts',
    find: 'some(same => hashOf(same).equals(earlier.bodyHash))',
    replace: 'some(same => hashOf(same).length === earlier.bodyHash.length)',
    withinSeeds: 1_000,
  },
  {
    name: 'diversifier indexes have no lower bound',
    theme: 'addresses and copies',
    file: 'services/viewing-key.ts',
    find: 'return MIN_FIRST_INDEX + BigInt',
    replace: 'return BigInt',
    withinSeeds: 3_000,
  },
  {
    name: 'a reserved address is released after a commit with an unknown outcome',
    theme: 'addresses and copies',
    file: 'services/invoice.ts',
    find: "if (error instanceof AppError && error.kind !== 'unavailable') addresses",
    replace: 'if (error instanceof AppError) addresses',
    withinSeeds: 3_000,
  },
  {
    name: 'a promoted standby reserves addresses without checking the database identity',
    theme: 'addresses and copies',
    file: 'services/database-identity.ts',
    find: 'isSameDatabase(await tx.databaseIdentity.read()) ? null : await advanceIfCopy(tx)',
    replace: 'null as CounterAdvance | null',
    needs: ['postgres', 'operator'],
    withinSeeds: 1_000,
  },
  {
    name: 'a restored copy does not advance its address counters',
    theme: 'addresses and copies',
    file: 'domain/database-identity.ts',
    find: 'return 2n ** bits + (value % 2n ** bits)',
    replace: 'return 0n * bits * value',
    needs: ['operator'],
    withinSeeds: 500,
  },
]
