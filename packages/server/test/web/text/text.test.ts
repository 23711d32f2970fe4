import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../../src/web/html.ts'
import { textFor, textIn } from '../../../src/web/text/text.ts'

const en = textIn('en')

test('values are escaped and isolated, and stars make text strong', () => {
  assert.equal(
    String(en.say('choose_at_least', { amount: '<i>*1*</i>' })),
    'Enter any amount in your wallet, at least <b><bdi>&lt;i&gt;*1*&lt;/i&gt;</bdi></b>.',
  )
  assert.equal(String(en.say('order', { order: '{order}$&' })), 'Order <bdi>{order}$&amp;</bdi>')
  assert.equal(String(en.say('order', { order: html`<i>1</i>` })), 'Order <bdi><i>1</i></bdi>')
})

test('plain text has neither markup nor stars', () => {
  assert.equal(en.plain('choose_at_least', { amount: '1 ZEC' }), 'Enter any amount in your wallet, at least 1 ZEC.')
})

test('numbers are exact and in the language of the reader, with Latin digits', () => {
  assert.equal(en.number('20999999.12345678'), '20,999,999.12345678')
  assert.equal(textIn('de').number('1234567.50'), '1.234.567,50')
  assert.equal(textIn('ar').number('1234.5'), '1,234.5')
  assert.equal(en.zec(2_099_999_999_999_999n), '20,999,999.99999999 ZEC')
  assert.equal(textIn('de').money('25.00', 'EUR'), '25,00 EUR')
  assert.equal(en.number('123456789012345678901234.56'), '123,456,789,012,345,678,901,234.56')
})

test('the language is the one chosen on the page, then that of the invoice, of the browser, of the shop', () => {
  const wishes = { chosen: 'ja', given: 'de-AT', accepted: 'fr', standard: 'it' }
  assert.equal(textFor(wishes).locale, 'ja')
  assert.equal(textFor({ ...wishes, chosen: 'xx' }).locale, 'de')
  assert.equal(textFor({ ...wishes, chosen: undefined, given: null }).locale, 'fr')
  assert.equal(textFor({ accepted: 'sw', standard: 'it' }).locale, 'it')
  assert.equal(textFor({}).locale, 'en')
})

test('only Arabic is written from right to left', () => {
  assert.equal(textIn('ar').direction, 'rtl')
  assert.equal(textIn('ja').direction, 'ltr')
})
