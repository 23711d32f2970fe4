import type { Mutant } from '../mutant.ts'

const REPOSITORY = 'store/repository/account-deletion.ts'

/** Mutants of the deletion of accounts. */
export const DELETION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an account that is owed a payout is deleted',
    theme: 'deletion of accounts',
    file: REPOSITORY,
    find: ".where(({ or, eb }) => or([eb('withdrawals.status', 'in', OPEN_WITHDRAWAL), canChange(eb)]))",
    replace: '.where(canChange)',
    needs: ['deletion', 'withdrawal'],
    withinSeeds: 3_000,
  },
  {
    name: 'an account is deleted while its invoices are watched',
    theme: 'deletion of accounts',
    file: REPOSITORY,
    find: "or([eb('invoices.status', 'in', OPEN_INVOICE), eb('invoices.watch_until', '>=', watchedSince(at))])",
    replace: "or([eb('invoices.status', 'in', OPEN_INVOICE)])",
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'the codes that were mailed to a deleted account are kept',
    theme: 'deletion of accounts',
    file: REPOSITORY,
    find: "await db.deleteFrom('mails').where('recipient', '=', email).execute()",
    replace: '',
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account is deleted by the clock of the process',
    theme: 'deletion of accounts',
    file: 'services/account-deletion.ts',
    find: 'const confirmedTime = (tx: Tx) => tx.chain.syncedThrough()',
    replace: 'const confirmedTime = async (_: Tx) => nowSecs(clock)',
    needs: ['deletion'],
    withinSeeds: 500,
  },
  {
    name: 'the API keys of an account that is being deleted go on working',
    theme: 'deletion of accounts',
    file: 'services/account-deletion.ts',
    find: 'await tx.apiKeys.revokeAll(account.id, now)',
    replace: '',
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account that its owner has kept is deleted',
    theme: 'deletion of accounts',
    file: 'services/account-deletion.ts',
    find: '  await tx.accounts.setDeletionRequestedAt(account.id, null)\n',
    replace: '',
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
  {
    name: 'an account is deleted three days after the request',
    theme: 'deletion of accounts',
    file: 'domain/account-deletion.ts',
    find: '7 * DAY_SECS',
    replace: '3 * DAY_SECS',
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
  {
    name: 'the invoices of a deleted account that were not paid are deleted',
    theme: 'deletion of accounts',
    file: REPOSITORY,
    find: '      await eraseViewingKeys(id, at)\n',
    replace: `      await db.deleteFrom('idempotency_keys').where('account_id', '=', id).execute()
      await db.deleteFrom('events').where('account_id', '=', id).execute()
      const withPayments = db.selectFrom('payments').select('invoice_id')
      await db
        .deleteFrom('invoices')
        .where('account_id', '=', id)
        .where('status', '=', 'expired')
        .where('id', 'not in', withPayments)
        .where('id', 'not in', db.selectFrom('withdrawals').select('invoice_id'))
        .where('id', 'not in', db.selectFrom('swaps').select('invoice_id'))
        .execute()
      await eraseViewingKeys(id, at)
`,
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
]
