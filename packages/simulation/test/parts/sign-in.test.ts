import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createKeyedHash } from '@zatgate/server/adapters/crypto/keyed-hash'
import { SignInJudge } from '../../src/parts/sign-in/judge.ts'
import type { CodeRow } from '../../src/parts/sign-in/ledger.ts'
import { ENCRYPTION_KEY } from '../../src/service/process.ts'
import { createFakeWorld, NOW_SECS } from './fake-world.ts'

const REQUESTED: CodeRow = {
  id: 1n,
  purpose: 'sign_in',
  email: 'a@example.org',
  browser: createHash('sha256').update('browser 1').digest('hex').toUpperCase(),
  client: 'C0',
  known: null,
  code_hash: createKeyedHash([ENCRYPTION_KEY]).hash('code', '1 123456'),
  attempts: 0n,
  created_at: BigInt(NOW_SECS),
  expires_at: BigInt(NOW_SECS + 600),
  used_at: null,
}
const USED: CodeRow = { ...REQUESTED, attempts: 1n, used_at: BigInt(NOW_SECS) }
const ENTRY = {
  purpose: 'sign_in',
  browser: 'browser 1',
  code: '123456',
  startedMs: NOW_SECS * 1000,
  requestedMs: NOW_SECS * 1000,
  wrongBefore: 0,
} as const

/** A judge that has seen no code, no session and no key. */
function start() {
  const { world, broken, tables } = createFakeWorld()
  const judge = new SignInJudge(world)
  let commits = 0n
  /** Lets the judge see the codes, and the numbers of sessions and keys. */
  function see(codes: readonly CodeRow[], { sessions = 0n, keys = 0n } = {}) {
    tables['sum(attempts)'] = [{ commits: commits++ }]
    tables['hex(browser_hash)'] = codes
    tables['AS accounts'] = [{ sessions, keys, accounts: 0n }]
    tables['GROUP BY account_id'] = [{ keys }]
    tables['DISTINCT expires_at'] = sessions > 0n ? [{ secs: 30n * 86_400n }] : []
    tables['FROM mails'] = [{}]
    judge.check()
  }
  see([])
  return { judge, broken, see }
}

test('a code that is requested, entered and used breaks no rule', () => {
  const { judge, broken, see } = start()
  see([REQUESTED])
  see([USED], { sessions: 1n })
  judge.accepted(ENTRY)
  assert.deepEqual(broken, [])
})

test('a code that a repeated mail replaced while it was entered counts, and one that was replaced before does not', () => {
  const replaced = { ...REQUESTED, code_hash: createKeyedHash([ENCRYPTION_KEY]).hash('code', '1 654321') }
  const { judge, broken, see } = start()
  see([REQUESTED])
  see([{ ...replaced, attempts: 1n, used_at: USED.used_at }], { sessions: 1n })
  judge.accepted(ENTRY)
  assert.deepEqual(broken, [])
  judge.accepted({ ...ENTRY, startedMs: ENTRY.startedMs + 1 })
  assert.deepEqual(broken, ['a code works only in its browser'])
})

test('too many codes for one email are found, also when some are older', () => {
  const requests = (count: number, secs: number) =>
    Array.from({ length: count }, (_, i) => {
      const created = BigInt(NOW_SECS + i * secs)
      return { ...REQUESTED, id: BigInt(i + 1), client: `C${i}`, created_at: created, expires_at: created + 600n }
    })
  for (const allowed of [requests(10, 1), requests(11, 360), requests(20, 400)]) {
    const { broken, see } = start()
    see(allowed)
    assert.deepEqual(broken, [])
  }
  const hour = start()
  hour.see(requests(11, 359))
  assert.ok(hour.broken.includes('at most 10 codes per email in 3600 s'))
  const day = start()
  day.see(requests(21, 400))
  assert.ok(day.broken.includes('at most 20 codes per email in 86400 s'))
})

test('a sixth attempt, a forgotten one and a second use are found', () => {
  const { broken, see } = start()
  see([{ ...REQUESTED, attempts: 5n }])
  see([{ ...REQUESTED, attempts: 6n }])
  see([{ ...REQUESTED, attempts: 4n }])
  assert.deepEqual(broken, ['a code has 5 attempts', 'an attempt stays counted'])
  const twice = start()
  twice.see([USED])
  twice.see([{ ...USED, attempts: 2n }])
  assert.deepEqual(twice.broken.at(-1), 'a code works once')
})

test('a code in another browser, after five wrong ones or after ten minutes is found', () => {
  const { judge, broken, see } = start()
  see([USED])
  judge.accepted({ ...ENTRY, browser: 'browser 2' })
  judge.accepted({ ...ENTRY, wrongBefore: 5 })
  judge.accepted({ ...ENTRY, startedMs: ENTRY.startedMs + 600_000 })
  assert.deepEqual(broken.slice(-3), [
    'a code works only in its browser',
    'a code has 5 attempts',
    'a code is valid for 10 minutes',
  ])
})

test('a session without a code or an order, and a key too many, are found', () => {
  const { judge, broken, see } = start()
  judge.ordersToken()
  see([], { sessions: 1n })
  assert.deepEqual(broken, [])
  see([], { sessions: 2n, keys: 101n })
  assert.deepEqual(broken, ['a session begins with a code or an order', 'an account has at most 100 API keys'])
})
