import assert from 'node:assert/strict'
import { test } from 'node:test'
import { POSTGRES } from '../../../src/store/dialect.ts'
import { DEFAULT_LIMITS } from '../../../src/store/limits.ts'
import type { PgClient } from '../../../src/store/postgres/driver.ts'
import { createPgTransactions } from '../../../src/store/postgres/transactions.ts'

test('a use case that times out runs no statement after its rollback', async () => {
  const sent: string[] = []
  const slow = Promise.withResolvers<void>()
  const rolledBack = Promise.withResolvers<void>()
  const client: PgClient = {
    async query(sql) {
      sent.push(sql)
      if (sql.startsWith('select')) await slow.promise
      return { rows: [], affected: 0 }
    },
    release(broken) {
      sent.push(broken ? 'discard the connection' : 'return the connection')
      rolledBack.resolve()
    },
  }
  const transactions = createPgTransactions({
    source: { connect: async () => client, listen: async () => async () => {}, close: async () => {} },
    database: { dialect: POSTGRES, identity: "''" },
    limits: { ...DEFAULT_LIMITS, transactionTimeoutMs: 5 },
    send: async () => {
      sent.push('notify')
    },
    onCommitted: () => assert.fail('nothing is committed'),
    onError: error => assert.fail(String(error)),
  })
  const useCase = Promise.withResolvers<void>()
  const written = transactions.write(async tx => {
    await tx.chain.tip()
    await tx.chain.removeAllHeaders().finally(useCase.resolve)
  })
  await assert.rejects(written, { code: 'timed_out' })
  await rolledBack.promise
  const before = [...sent]
  slow.resolve()
  await assert.rejects(useCase.promise.then(() => written))
  assert.deepEqual(sent, before)
  assert.equal(sent.at(-1), 'discard the connection')
})
