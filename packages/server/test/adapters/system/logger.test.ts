import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createLogger, type LogFormat } from '../../../src/adapters/system/logger.ts'
import { requestScope } from '../../../src/adapters/system/request-scope.ts'
import type { Clock } from '../../../src/ports/clock.ts'

function logged(write: (log: ReturnType<typeof createLogger>) => void, format: LogFormat = 'json'): string {
  const lines: string[] = []
  write(createLogger('debug', { format, destination: { write: line => void lines.push(line) } }))
  return lines.join('')
}

const UUID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const KEY = `zg_${'a1B2'.repeat(12)}c`
const TOKEN = `zgs_${'Zz9'.repeat(16)}q`
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=='
const VIEWING = `uviewtest1${'qpzry9x8'.repeat(20)}`

test('ids, keys, tokens, signing secrets and viewing keys are shortened in every part of a log line', () => {
  const text = logged(log => {
    log.info({ path: `/v1/invoices/${UUID}`, key: KEY }, `sent ${TOKEN} and ${SECRET}`)
    log.error({ err: new Error(`bad ${UUID}`, { cause: new Error(`key ${VIEWING}`) }) }, 'failed')
  })
  for (const secret of [UUID, KEY, TOKEN, SECRET, VIEWING]) assert.ok(!text.includes(secret.slice(0, -4)), secret)
  assert.match(text, /\/v1\/invoices\/3fa85f64…/)
  assert.match(text, /bad 3fa85f64…/)
})

test('secrets are shortened in pretty lines too, and after a line break', () => {
  for (const format of ['json', 'pretty'] as const) {
    const text = logged(log => {
      log.info({ path: `/v1/invoices/${UUID}`, key: `is\n${KEY}` }, `sent\n${TOKEN} and\t${SECRET}`)
      log.error({ err: new Error(`bad\n${UUID}`, { cause: new Error(`key\n${VIEWING}`) }) }, 'failed')
    }, format)
    for (const secret of [UUID, KEY, TOKEN, SECRET, VIEWING]) assert.ok(!text.includes(secret.slice(0, -4)), secret)
  }
})

test('the password in a URL is shortened', () => {
  const text = logged(log =>
    log.error({ err: new Error('smtps://user:pass%20word@mail.example.com failed') }, 'failed'),
  )
  assert.ok(!text.includes('pass%20word'))
  assert.match(text, /smtps:\/\/user:…@mail/)
})

test('a line has its time in UTC with milliseconds', () => {
  const { time } = JSON.parse(logged(log => log.info({}, 'now')))
  assert.equal(new Date(time).toISOString(), time)
})

test('a pretty line has time, level, message and details, then the stack; outside text begins no new line', () => {
  const error = new Error('broken\u001b[2J')
  const text = logged(log => log.warn({ height: 5, path: 'a b', err: error }, 'one\ntwo'), 'pretty')
  const [head, first] = text.split('\n')
  assert.match(head!, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z WARN {2}one\\u000atwo height=5 path="a b"$/)
  assert.equal(first, '    Error: broken\\u001b[2J')
})

test('a line of a request has its id', () => {
  const text = logged(log => {
    requestScope.run('r1', () => log.info({}, 'inside'))
    log.info({}, 'outside')
  })
  const [inside, outside] = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(inside.requestId, 'r1')
  assert.equal('requestId' in outside, false)
})

test('viewing keys of every revision and spending keys are shortened too', () => {
  const data = 'qpzry9x8'.repeat(20)
  for (const prefix of ['uvf', 'uvitest', 'uvfregtest', 'urview', 'zxviews', 'secret-extended-key-main']) {
    const text = logged(log => log.error({ err: new Error(`bad ${prefix}1${data}`) }, 'failed'))
    assert.ok(!text.includes('qpzry9x8'), prefix)
    assert.ok(text.includes(`bad ${prefix}1…`), prefix)
  }
})

test('every line is JSON with its level and message', () => {
  const lines = logged(log => {
    log.warn({ height: 5 }, 'a message')
    log.debug({}, 'another')
  })
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'a message'],
      ['debug', 'another'],
    ],
  )
})

test('an error is logged with name, code, message and stack, without the other properties of database drivers', () => {
  const error = Object.assign(new Error('constraint'), {
    code: '23505',
    detail: 'Key (email)=(a@b.c)',
    parameters: ['x'],
  })
  const { err } = JSON.parse(logged(log => log.error({ err: error }, 'failed')))
  assert.deepEqual(Object.keys(err).sort(), ['code', 'message', 'name', 'stack'])
})

test('the log is written to standard error, and standard output stays empty', () => {
  const module = new URL('../../../src/adapters/system/logger.ts', import.meta.url)
  const code = `import { createLogger } from '${module}'; createLogger('info').info({}, 'said')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  assert.equal(stdout, '')
  assert.equal(JSON.parse(stderr).msg, 'said')
})

test('long text is cut before it is searched for secrets, and none is cut in two', () => {
  const long = 120_000
  for (const format of ['json', 'pretty'] as const) {
    const text = logged(log => {
      const cause = new Error(`550 ${'secret-'.repeat(long)}`)
      log.warn({ err: new Error(`550 ${'zxview'.repeat(long)}`, { cause }) }, 'a mail could not be sent')
      log.warn({ reason: `550 ${'zivk'.repeat(long)}`, list: Array(long).fill({ a: 'x' }) }, 'x'.repeat(long))
    }, format)
    assert.ok(text.length < 50_000, `${text.length} characters`)
    assert.ok(/zxview.*… \(7200\d\d characters\)/.test(text))
    assert.ok(/logger\.test\.ts/.test(text), 'the frames are kept')
  }
  for (const secret of [UUID, KEY, TOKEN, SECRET, VIEWING, 'smtps://user:pass%20word@mail']) {
    for (let before = 3_900; before <= 5_100; before += 7) {
      const text = logged(log => log.info({ reason: `${'.'.repeat(before)}${secret}${'.'.repeat(2_000)}` }, 'x'))
      assert.ok(!/2c963|pass|qpzry|a1B2|Zz9|MfKQ/.test(text), `${secret} after ${before} characters`)
    }
  }
})

test('the errors of an aggregate error are logged', () => {
  const err = new AggregateError([new Error('disk full'), new Error(`key ${KEY}`)], 'cleanup failed')
  const { errors } = JSON.parse(logged(log => log.warn({ err }, 'failed, retrying later'))).err
  assert.deepEqual(
    errors.map(({ message }: Error) => message),
    ['disk full', 'key zg_…'],
  )
})

test('an error that is its own cause is logged', () => {
  const error = new Error('broken')
  error.cause = error
  assert.equal(JSON.parse(logged(log => log.error({ err: error }, 'failed'))).err.cause.message, 'broken')
})

test('of equal lines 10 a minute are written, and the number of the others once', () => {
  let nowMs = 1_000_000
  const lines: string[] = []
  const clock: Clock = { nowMs: () => nowMs, sleep: async () => {} }
  const log = createLogger('debug', { format: 'json', clock, destination: { write: line => void lines.push(line) } })
  for (let i = 0; i < 5_000; i++) log.warn({ bytes: i }, 'cannot parse a transaction')
  log.warn({}, 'another message')
  for (let i = 0; i < 20; i++) log.error({ loop: `loop ${i % 4}` }, 'failed')
  for (let i = 0; i < 20; i++) log.debug({}, 'details')
  const written = lines.splice(0).map(line => JSON.parse(line))
  const count = (message: string) => written.filter(({ msg }) => msg === message).length
  assert.deepEqual(['cannot parse a transaction', 'another message', 'failed', 'details'].map(count), [10, 1, 20, 20])

  nowMs += 60_000
  log.info({}, 'something else')
  const [left, next] = lines.splice(0).map(line => JSON.parse(line))
  assert.equal(left.repeated, 4_990)
  assert.equal(left.line, 'warn: cannot parse a transaction')
  assert.equal(next.msg, 'something else')
  log.warn({}, 'cannot parse a transaction')
  assert.equal(lines.length, 1, 'a new minute has begun')
})

test('texts that never repeat are limited too, and a clock that goes back delays nothing', () => {
  let nowMs = 1_000_000
  const lines: string[] = []
  const clock: Clock = { nowMs: () => nowMs, sleep: async () => {} }
  const log = createLogger('info', { format: 'json', clock, destination: { write: line => void lines.push(line) } })
  for (let i = 0; i < 5_000; i++) log.warn({}, `the server says ${i}`)
  assert.equal(lines.length, 510)
  nowMs = 0
  log.warn({}, 'after the correction of the clock')
  assert.equal(JSON.parse(lines.at(-1)!).msg, 'after the correction of the clock')
})
