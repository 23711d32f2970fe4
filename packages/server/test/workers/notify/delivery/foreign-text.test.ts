import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpClient, HttpClientError, type HttpResponse } from '../../../../src/ports/http-client.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const SLOTS = { total: 100, forAccount: () => 10, fullAccountIds: [], isAttempting: () => false }
const response = (status: number, body: Uint8Array): HttpResponse => ({ status, headers: {}, body })

/** Responses of a receiver, and the text that is stored of each. */
const ANSWERS: readonly [name: string, answer: () => HttpResponse, stored: RegExp][] = [
  ['NUL bytes', () => response(500, Buffer.from('a\0b')), /^a\ufffdb$/],
  ['bytes that are not UTF-8', () => response(500, Buffer.from([0x61, 0xff, 0xfe, 0xc0, 0x80])), /^a\ufffd+$/],
  ['an encoded half of a surrogate pair', () => response(500, Buffer.from([0xed, 0xa0, 0x80])), /^\ufffd+$/],
  ['a character that is cut', () => response(500, Buffer.from('€').subarray(0, 2)), /^\ufffd$/],
  ['the status 999', () => response(999, Buffer.from('x')), /^x$/],
]
const ERRORS: readonly [name: string, message: string, stored: RegExp][] = [
  ['NUL', 'the certificate is for evil\0.example', /^the certificate is for evil\ufffd\.example$/],
  ['half a surrogate pair', 'bad \ud800 name', /^bad \ufffd name$/],
  ['ten thousand characters', 'x'.repeat(10_000), /^x{500}$/],
]

onBothDatabases(engine => {
  async function deliver(t: Parameters<typeof engine.createDatabase>[0], send: HttpClient['send']) {
    const database = await engine.createDatabase(t)
    const webhookHttp: HttpClient = { send, close: () => {} }
    const options = { clock: new ManualClock(), webhookHttp, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }
    const { services } = await openTestContainer(t, { ...options, store: await database.open() })
    const { deliveries, webhooks, accounts } = services
    const owners = []
    for (const name of ['bad', 'good']) {
      const account = await accounts.findOrCreate(`${name}@example.com`)
      await webhooks.set(account, `http://shop.example/${name}`)
      await webhooks.test(account)
      owners.push(account)
    }
    const { jobs } = await deliveries.recordAndClaim([], SLOTS)
    await deliveries.recordAndClaim(await Promise.all(jobs.map(deliveries.attempt)), { ...SLOTS, total: 0 })
    const [bad, good] = await Promise.all(
      owners.map(async account => {
        const [row] = await webhooks.attempts(account, { limit: 1 })
        return webhooks.attempt(account, row?.publicId as string)
      }),
    )
    assert.equal(good?.statusCode, 200, 'the result of the other receiver is stored')
    return bad
  }

  for (const [name, answer, stored] of ANSWERS)
    test(`an answer with ${name} is stored`, async t => {
      const bad = await deliver(t, async ({ url }) =>
        url.endsWith('bad') ? answer() : response(200, Buffer.from('ok')),
      )
      assert.match(bad?.response ?? '', stored)
      assert.equal(bad?.statusCode, answer().status)
    })

  for (const [name, message, stored] of ERRORS)
    test(`the error of an attempt with ${name} is stored`, async t => {
      const bad = await deliver(t, async ({ url }) => {
        if (url.endsWith('bad')) throw new HttpClientError('tls', message)
        return response(200, Buffer.from('ok'))
      })
      assert.match(bad?.error ?? '', stored)
    })
})
