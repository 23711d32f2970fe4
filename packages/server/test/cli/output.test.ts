import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createOutput, table } from '../../src/cli/output.ts'

/** A payout destination of a merchant of an earlier version, as the operator reads it. */
const HOSTILE = 'DE89\u202e0044\u200b\x1b[2J'

function printed(json: boolean, value: unknown, lines: readonly string[]): string {
  let text = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  createOutput(json, stdout, stdout).result(value, lines)
  return text
}

test('a command prints invisible characters of stored text as code points, in aligned columns', () => {
  const lines = table(
    ['to', 'status'],
    [
      [HOSTILE, 'failed'],
      ['IBAN', 'failed'],
    ],
  )
  const text = printed(false, null, lines)
  assert.equal(
    text,
    [
      'TO                                 STATUS',
      'DE89\\u{202e}0044\\u{200b}\\u{1b}[2J  failed',
      'IBAN                               failed',
      '',
    ].join('\n'),
  )
  assert.equal(printed(false, null, [`payout_to: ${HOSTILE}`]), 'payout_to: DE89\\u{202e}0044\\u{200b}\\u{1b}[2J\n')
})

test('with --json they are escapes, and the value is the stored one', () => {
  const text = printed(true, { payout_to: HOSTILE }, [])
  assert.equal(text, '{"payout_to":"DE89\\u202e0044\\u200b\\u001b[2J"}\n')
  assert.deepEqual(JSON.parse(text), { payout_to: HOSTILE })
})
