import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/domain/error.ts'
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

test('a read without a transaction returns its connection after a refusal, and discards it when it is lost', async () => {
  const released: boolean[] = []
  const answers: (() => Promise<never>)[] = []
  const client: PgClient = {
    query: () => answers[0]!(),
    release: broken => {
      released.push(broken)
    },
  }
  const transactions = createPgTransactions({
    source: { connect: async () => client, listen: async () => async () => {}, close: async () => {} },
    database: { dialect: POSTGRES, identity: "''" },
    limits: { ...DEFAULT_LIMITS, transactionTimeoutMs: 5 },
    send: async () => {},
    onCommitted: () => {},
    onError: error => assert.fail(String(error)),
  })
  const fail =
    (error: Error, details: object = {}) =>
    () =>
      Promise.reject(Object.assign(error, details))
  const refused = transactions.query(async () => {
    throw new AppError('no_such_invoice')
  })
  await assert.rejects(refused, { code: 'no_such_invoice' })
  for (const [answer, broken] of [
    [fail(new Error('invalid value'), { code: '22P02', severity: 'ERROR' }), false],
    [fail(new Error('cached plan must not change result type'), { code: '0A000', severity: 'ERROR' }), true],
    [fail(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006', severity: 'ERROR' }), true],
    [fail(new Error('terminating connection'), { code: '57P01', severity: 'FATAL' }), true],
    [fail(new Error('Connection terminated unexpectedly')), true],
    [() => new Promise<never>(() => {}), true],
  ] as const) {
    answers[0] = answer
    await assert.rejects(transactions.query(tx => tx.chain.tip()))
    assert.equal(released.at(-1), broken)
  }
  assert.deepEqual(released, [false, false, true, true, true, true, true])
})
