import type { Mutant } from '../mutant.ts'

/** Mutants of locks and commits. Most of them show on PostgreSQL only, where transactions interleave. */
export const CONCURRENCY_MUTANTS: readonly Mutant[] = [
  {
    name: 'blocks are recorded without the chain lock',
    theme: 'locks',
    file: 'services/chain-sync.ts',
    find: 'await tx.chain.lock()\n      const tip = await tx.chain.tip()\n      const mismatch = findMismatch',
    replace: 'const tip = await tx.chain.tip()\n      const mismatch = findMismatch',
    needs: ['postgres', 'several processes'],
    withinSeeds: 3_000,
  },
  {
    name: 'a rescan does not take the chain lock',
    theme: 'locks',
    file: 'services/chain-sync.ts',
    find: 'await tx.chain.lock()\n      const tip = (await tx.chain.tip())?.height ?? null',
    replace: 'const tip = (await tx.chain.tip())?.height ?? null',
    needs: ['postgres', 'operator'],
    withinSeeds: 5_000,
  },
  {
    name: 'invoices are not locked before their known payments are read',
    theme: 'locks',
    file: 'services/chain-sync.ts',
    find: 'await lockInvoices(tx, [...invoiceIdsOf(matched), ...due.invoiceIds])',
    replace: `new Map(
        (await tx.invoices.byIds([...invoiceIdsOf(matched), ...due.invoiceIds])).map(invoice => [invoice.id, invoice]),
      )`,
    needs: ['postgres'],
    withinSeeds: 3_000,
  },
  {
    name: 'mempool payments are recorded without locking their invoices',
    theme: 'locks',
    file: 'services/chain-sync.ts',
    find: `const locked = await lockInvoices(tx, invoiceIdsOf(matched))
      if (locked.size === 0) return []`,
    replace: `const locked = new Map((await tx.invoices.byIds(invoiceIdsOf(matched))).map(invoice => [invoice.id, invoice]))
      if (locked.size === 0) return []`,
    needs: ['postgres'],
    withinSeeds: 1_000,
  },
  {
    name: 'the lock of an account locks nothing',
    theme: 'locks',
    file: 'store/repository/account.ts',
    find: '.forNoKeyUpdate()',
    replace: '',
    needs: ['postgres'],
    withinSeeds: 10_000,
  },
  {
    name: 'a withdrawal is closed without locking its invoice',
    theme: 'locks',
    file: 'services/withdrawal-transition.ts',
    find: 'const [invoice] = await tx.invoices.lock([invoiceId])',
    replace: 'const [invoice] = await tx.invoices.byIds([invoiceId])',
    needs: ['postgres', 'withdrawal'],
    withinSeeds: 3_000,
  },
  {
    name: 'a report of the swap provider is written without locking the invoice',
    theme: 'locks',
    file: 'services/swap-status.ts',
    find: 'const [invoice] = await tx.invoices.lock([invoiceId])',
    replace: 'const [invoice] = await tx.invoices.byIds([invoiceId])',
    needs: ['postgres', 'swap'],
    withinSeeds: 10_000,
  },
  {
    name: 'swap starts are counted without locking the invoice',
    theme: 'locks',
    file: 'services/swap.ts',
    find: 'const [locked] = await tx.invoices.lock([found.id])',
    replace: 'const [locked] = await tx.invoices.byIds([found.id])',
    needs: ['postgres', 'swap'],
    withinSeeds: 1_000,
  },
  {
    name: 'requests for sign-in codes are counted without a lock',
    theme: 'locks',
    file: 'services/code-budget.ts',
    find: 'await tx.signIn.lockCounts()',
    replace: '',
    needs: ['postgres', 'sign-in'],
    withinSeeds: 5_000,
  },
  {
    name: 'the monthly limit is checked before the counter is locked',
    theme: 'locks',
    file: 'store/repository/usage.ts',
    find: `const values = groups
    .map(group => ({ ...(group[0] as UsageIncrement), used: group.length }))
    .sort((a, b) => a.accountId - b.accountId)
    .flatMap(({ accountId, month, used }) => [accountId, month, used])
  const counted = await add(db, groups.length, [...values, limit])`,
    replace: `const rows = groups.map(group => ({ ...(group[0] as UsageIncrement), used: group.length }))
  const withinLimit: typeof rows = []
  for (const row of rows) if ((await usedIn(db, row)) + row.used <= limit) withinLimit.push(row)
  if (withinLimit.length === 0) return new Map()
  const values = withinLimit
    .sort((a, b) => a.accountId - b.accountId)
    .flatMap(({ accountId, month, used }) => [accountId, month, used])
  const counted = await add(db, withinLimit.length, [...values, Number.MAX_SAFE_INTEGER])`,
    needs: ['postgres', 'billing'],
    withinSeeds: 3_000,
  },
  {
    name: 'in a batch, a use case that writes and then fails keeps its change',
    theme: 'commits and crashes',
    file: 'store/batching/write-batch.ts',
    find: "error.kind !== 'unavailable' && !changed",
    replace: "error.kind !== 'unavailable'",
    needs: ['sqlite'],
    withinSeeds: 1_000,
  },
  {
    name: 'callers of a shared commit are answered before the commit',
    theme: 'commits and crashes',
    file: 'store/batching/group-commit.ts',
    find: `completions = await this.#runAll(batch, writes, topics)
      await batch.commit(topics)`,
    replace: `completions = await this.#runAll(batch, writes, topics)
      for (const complete of completions.splice(0)) complete()
      await batch.commit(topics)`,
    needs: ['sqlite'],
    withinSeeds: 500,
  },
  {
    name: 'a write whose commit has an unknown outcome is run again',
    theme: 'commits and crashes',
    file: 'store/postgres/error.ts',
    find: 'return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED || isStalePlan(error)',
    replace: `if (isTemporary(error)) return true
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED || isStalePlan(error)`,
    withinSeeds: 1_000,
  },
]
