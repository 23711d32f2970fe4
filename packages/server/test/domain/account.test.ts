import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseEmail } from '../../src/domain/account.ts'

test('emails that differ in case or surrounding whitespace are one account', () => {
  for (const text of ['Mara@Shop.example', '  mara@shop.EXAMPLE\n'])
    assert.equal(normaliseEmail(text), 'mara@shop.example')
  for (const text of ['a+b@x.example', 'ärger@bücher.example', 'a@localhost']) assert.equal(normaliseEmail(text), text)
})

test('an email with control characters, invisible characters or mail syntax is refused', () => {
  const bad = [
    '',
    'mara',
    'a@b@c',
    'a b@x',
    'a@x, b@y',
    '<a@x>',
    'a@x\r\nBcc: b@y',
    '"a"@x',
    'a;b@x',
    `${'a'.repeat(65)}@x`,
  ]
  for (const text of bad) assert.equal(normaliseEmail(text), null, text)
  for (const hidden of ['\0', '\x1b[31m', '\x07', '\x7f', '\u202e', '\u200b', '\ud800', '\ue000']) {
    assert.equal(normaliseEmail(`a${hidden}@x.example`), null, JSON.stringify(hidden))
    assert.equal(normaliseEmail(`a@x${hidden}.example`), null, JSON.stringify(hidden))
  }
})
