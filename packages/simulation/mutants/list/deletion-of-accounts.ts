import type { Change } from '../mutant.ts'

export const DELETION_OF_ACCOUNTS: readonly Change[] = [
  {
    name: 'an account that is owed a payout is deleted',
    file: 'store/repository/account/account-deletion.ts',
    in: 'workQueries',
    find: "or([eb('withdrawals.status', 'in', OPEN_WITHDRAWAL), canChange(eb)])",
    replace: 'canChange(eb)',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'when its deposit is final' },
    needs: ['deletion', 'withdrawal'],
    withinSeeds: 3_000,
  },
  {
    name: 'an account is deleted while its invoices are watched',
    file: 'store/repository/account/account-deletion.ts',
    in: 'invoice',
    find: "ofKeys.where('watch_until', '>=', since).limit(1).executeTakeFirst()",
    replace: 'null',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'an invoice that can be paid late' },
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account is deleted while its plan purchase or its withdrawal can be paid late',
    file: 'store/repository/account/account-deletion.ts',
    in: 'workQueries',
    find: "or([eb('invoices.status', 'in', OPEN_INVOICE), eb('invoices.watch_until', '>=', since)])",
    replace: "eb('invoices.status', 'in', OPEN_INVOICE)",
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'an invoice that can be paid late' },
  },
  {
    name: 'the deletion of an account deletes the events of others that have the same numbers',
    file: 'store/repository/account/account-deletion.ts',
    in: 'eraseEvents',
    find: ".deleteFrom('events')\n      .where('account_id', '=', accountId)",
    replace: ".deleteFrom('events')",
    killedBy: {
      file: 'services/account/account-deletion.test.ts',
      test: 'the events of other accounts, which have the same numbers, stay',
    },
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'the codes that were mailed to a deleted account are kept',
    file: 'store/repository/account/account-deletion.ts',
    in: 'erase',
    find: "await db.deleteFrom('mails').where('recipient', '=', email).execute()",
    replace: '',
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account is deleted by the clock of the process',
    file: 'services/account/account-deletion.ts',
    in: 'confirmedTime',
    find: 'async (tx: Tx) => knownThrough(await tx.chain.syncedThrough(), nowSecs(clock))',
    replace: 'async (_: Tx) => nowSecs(clock)',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'the account is kept for a week' },
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account is deleted by a synced-through time ahead of the clock',
    file: 'services/account/account-deletion.ts',
    in: 'confirmedTime',
    find: 'knownThrough(await tx.chain.syncedThrough(), nowSecs(clock))',
    replace: 'tx.chain.syncedThrough()',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'the account is kept for a week' },
  },
  {
    name: 'the API keys of an account that is being deleted go on working',
    file: 'services/account/account-deletion.ts',
    in: 'request',
    find: 'await tx.apiKeys.revokeAll(account.id, now)',
    replace: '',
    needs: ['deletion'],
    withinSeeds: 2_000,
  },
  {
    name: 'an account that its owner has kept is deleted',
    file: 'services/account/account-deletion.ts',
    in: 'cancelDeletion',
    find: 'await tx.accounts.setDeletionRequestedAt(account.id, null)',
    replace: '',
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
  {
    name: 'an account is deleted three days after the request',
    file: 'domain/account/account-deletion.ts',
    in: 'DELETION_WAIT_SECS',
    find: '7 * DAY_SECS',
    replace: '3 * DAY_SECS',
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
  {
    name: 'the invoices of a deleted account that were not paid are deleted',
    file: 'store/repository/account/account-deletion.ts',
    in: 'erase',
    find: 'await eraseViewingKeys(id, at)',
    replace: `await db.deleteFrom('idempotency_keys').where('account_id', '=', id).execute()
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
      await eraseViewingKeys(id, at)`,
    needs: ['deletion'],
    withinSeeds: 3_000,
  },
  {
    name: 'the change of an account that is being deleted is checked against what the request had read',
    file: 'services/account/audit.ts',
    in: 'recordChange',
    find: 'requireNoDeletion((await tx.accounts.lock(account.id)) ?? {})',
    replace: 'requireNoDeletion(account as Account)',
    killedBy: {
      file: 'services/account/account-deletion.test.ts',
      test: 'refuses every change until the owner keeps the account',
    },
  },
  {
    name: 'unused viewing keys are deleted without a lock before the check',
    file: 'store/repository/account/unused-key.ts',
    in: 'deleteUnusedKeys',
    find: '.forNoKeyUpdate()',
    replace: '',
    killedBy: {
      file: 'store/repository/account/unused-key.test.ts',
      test: 'a key that an account takes at the same time',
      needsPostgres: true,
    },
  },
  {
    name: 'the row of a viewing key is not locked by the account that takes it',
    file: 'store/repository/account/viewing-key.ts',
    in: 'findOrInsert',
    find: '.forNoKeyUpdate()',
    replace: '',
    killedBy: { file: 'store/repository/account/unused-key.test.ts', test: 'a key that', needsPostgres: true },
  },
  {
    name: 'an account is deleted while an endpoint has events to get',
    file: 'store/repository/account/account-deletion.ts',
    in: 'workQueries',
    find: "eb('event_counters.seq', '>', eb.ref('endpoints.cursor_seq')),",
    replace: '',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'events for an endpoint and an owed refund' },
  },
  {
    name: 'an account is deleted while it owes a refund',
    file: 'store/repository/account/account-deletion.ts',
    in: 'OWED_REFUND',
    find: "'awaiting_address', ",
    replace: '',
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'events for an endpoint and an owed refund' },
  },
  {
    name: 'an account whose withdrawal waits for its payout is deleted',
    file: 'store/repository/account/account-deletion.ts',
    in: 'OPEN_WITHDRAWAL',
    find: "'deposit_detected', 'payout_processing', 'needs_attention'] as const",
    replace: "'deposit_detected'] as const",
    killedBy: { file: 'services/account/account-deletion.test.ts', test: 'when its deposit is final' },
  },
]
