import type { Tx } from '../../src/ports/store.ts'

/** The transaction with other repositories in place of some of its repositories. */
export function withRepositories(tx: Tx, others: Partial<Tx>): Tx {
  return Object.create(tx, Object.getOwnPropertyDescriptors(others))
}
