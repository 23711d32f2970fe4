import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseEmail } from '../../../src/domain/account/account.ts'

test('emails that differ in case or surrounding whitespace are one account', () => {
  for (const text of ['Mara@Shop.example', '  mara@shop.EXAMPLE\n'])
    assert.equal(normaliseEmail(text), 'mara@shop.example')
  for (const text of ['a+b@x.example', 'a@localhost', 'a@xn--bcher-kva.example'])
    assert.equal(normaliseEmail(text), text)
})

test('every way to write one address that is not ASCII is one account', () => {
  const ways: readonly (readonly [string, ...string[]])[] = [
    // Some browsers send the ASCII form of a domain, others what was typed.
    ['mara@xn--bcher-kva.example', 'mara@bücher.example', 'mara@BÜCHER.example', 'mara@bu\u0308cher.example'],
    ['mara@xn--fsqu00a.xn--0zwm56d', 'mara@例子.测试', 'mara@例子。测试'],
    // macOS and some keyboards compose characters, others do not.
    ['j\u00f6rg@x.example', 'jo\u0308rg@x.example', 'J\u00d6RG@x.example'],
    // A capital letter that composes with its accent only as a small one.
    ['\u01f0ana@x.example', 'J\u030cana@x.example', 'j\u030cana@x.example'],
    // The full width of Japanese and Chinese keyboards.
    ['mara@x.example', 'ｍａｒａ＠ｘ．ｅｘａｍｐｌｅ', 'mara＠x.example', 'mara@x.example\u3000'],
    // Address books and mail programs put marks of direction and other invisible characters around an address.
    [
      'mara@x.example',
      '\u202amara@x.example\u202c',
      '\ufeffmara@x.example',
      '\u200bmara@x.example\u00a0',
      '\u2068mara@x.example\u2069',
    ],
  ]
  for (const [email, ...others] of ways)
    for (const other of [email, ...others]) assert.equal(normaliseEmail(other), email, JSON.stringify(other))
})

test('a domain that no mail can be sent to is refused', () => {
  for (const text of [
    'a@ü/x',
    'a@ü?x',
    'a@ü#x',
    'a@ü:25',
    'a@xn--\u00fc',
    'a@\u2460.\u2461.3.4',
    'a@-ü-.example\u2f3d',
  ])
    assert.equal(normaliseEmail(text), null, JSON.stringify(text))
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
