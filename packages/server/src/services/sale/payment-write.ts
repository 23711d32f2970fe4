import { isGeneralFault, isRowFault, scanKeyReference } from '../../domain/set-aside.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { SetAsides } from '../set-aside.ts'
import { writeInvoices } from './invoice-state.ts'

/** How a transaction writes payments, see `createPaymentWriter`. */
export interface PaymentWrite {
  /** For the context of `updateInvoices`. */
  readonly deferredBy?: unknown
  /** Those of these viewing keys whose payments the transaction leaves out. Called with all keys before the first write. */
  leftOut(keyIds: Iterable<number>): ReadonlySet<number>
}

type PaymentWork<T> = (tx: Tx, write: PaymentWrite) => Promise<T>

/**
 * Runs a transaction that writes payments. When it fails also with the invoices deferred, it is tried with half of the
 * viewing keys, down to single ones, until those with a payment that cannot be written are found. They are set aside in
 * the transaction that leaves their payments out, so that these are found when the missed blocks are read again.
 * @param options.fromHeight the first block to read again; default: the one above the last recorded block
 * @throws the error, when no payment is at fault, or the failures show a fault that is not of the rows
 */
export type WritePayments = <T>(work: PaymentWork<T>, options?: { readonly fromHeight?: number }) => Promise<T>

class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

/** @param deps.setAsides default: a payment that cannot be written rejects */
export function createPaymentWriter(deps: {
  readonly store: Store
  readonly setAsides?: Pick<SetAsides, 'put' | 'report'>
}): WritePayments {
  const { store, setAsides } = deps
  return async function writePayments(work, { fromHeight } = {}) {
    try {
      return await writeInvoices(store, (tx, deferredBy) => work(tx, { deferredBy, leftOut: () => new Set() }))
    } catch (error) {
      if (!setAsides || !isRowFault(error)) throw error
      const failing = await findFailingKeys(store, work, error)
      const { result, entries } = await store.write(async tx => {
        await tx.chain.lock()
        const from = fromHeight ?? ((await tx.chain.tip())?.height ?? 0) + 1
        const entries = []
        for (const [id, reason] of failing) {
          const key = await tx.viewingKeys.byId(id)
          if (key) entries.push(await setAsides.put(tx, scanKeyReference(key), reason, from))
        }
        const leftOut = (ids: Iterable<number>) => new Set([...ids].filter(id => failing.has(id)))
        return { entries, result: await work(tx, { deferredBy: error, leftOut }) }
      })
      for (const entry of entries) setAsides.report(entry)
      return result
    }
  }
}

/** @returns the errors by viewing key */
async function findFailingKeys(
  store: Store,
  work: PaymentWork<unknown>,
  first: unknown,
): Promise<ReadonlyMap<number, unknown>> {
  const asked = new Set<number>()
  /** Null: the work succeeds with the payments of these keys alone. Nothing of it is kept. */
  async function errorWith(keys: ReadonlySet<number>): Promise<unknown> {
    function leftOut(ids: Iterable<number>): Set<number> {
      const others = new Set<number>()
      for (const id of ids) {
        asked.add(id)
        if (!keys.has(id)) others.add(id)
      }
      return others
    }
    try {
      await store.write(async tx => {
        await work(tx, { deferredBy: first, leftOut })
        throw new RolledBack()
      })
    } catch (error) {
      if (error instanceof RolledBack) return null
      if (!isRowFault(error)) throw error
      return error
    }
  }
  if ((await errorWith(new Set())) !== null) throw first
  const failing = new Map<number, unknown>()
  let succeeded = 0
  async function search(keys: readonly number[]): Promise<void> {
    const error = await errorWith(new Set(keys))
    const [key] = keys
    if (error === null) succeeded += keys.length
    else if (keys.length > 1) {
      const middle = Math.ceil(keys.length / 2)
      await search(keys.slice(0, middle))
      await search(keys.slice(middle))
    } else if (key !== undefined) {
      failing.set(key, error)
      if (isGeneralFault({ succeeded, failedAccounts: [...failing.keys()] })) throw first
    }
  }
  await search([...asked])
  return failing
}
