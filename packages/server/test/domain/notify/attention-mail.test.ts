import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionMailDueAt, attentionMailText } from '../../../src/domain/notify/attention-mail.ts'

const NOW = 1_800_000_000
const URL = 'https://pay.example.org'

test('a mail is due after two minutes, and at least an hour after the last one', () => {
  assert.equal(attentionMailDueAt(NOW, null), NOW + 120)
  assert.equal(attentionMailDueAt(NOW, NOW), NOW + 3_600)
  assert.equal(attentionMailDueAt(NOW, NOW - 3_000), NOW + 600)
  assert.equal(attentionMailDueAt(NOW, NOW - 3_480), NOW + 120)
  assert.equal(attentionMailDueAt(NOW, NOW - 90_000), NOW + 120)
  assert.equal(attentionMailDueAt(NOW, NOW + 90_000), NOW + 3_600, 'a wrong clock delays it by an hour at most')
})

test('the mail lists invoices up to the limit and counts the others', () => {
  const listed = [
    { publicId: 'one', amountZat: 100_000_000n, confirmations: 3, paidAt: NOW },
    { publicId: 'two', amountZat: 1n, confirmations: 3, paidAt: null },
  ]
  const { subject, text } = attentionMailText(listed, 2, URL)
  assert.equal(subject, 'zatgate: payments of 2 paid invoices are missing')
  assert.match(text, /^- 1 ZEC, paid 2027-01-15 08:00 UTC: https:\/\/pay\.example\.org\/invoices\/one$/m)
  assert.match(text, /^- 0\.00000001 ZEC: https:\/\/pay\.example\.org\/invoices\/two$/m)
  assert.doesNotMatch(text, /more:/)
  assert.match(text, /are missing: a reorganisation of the Zcash chain removed them\.$/m)
  const unconfirmed = listed.map(invoice => ({ ...invoice, confirmations: 0 }))
  assert.match(attentionMailText(unconfirmed, 2, URL).text, /removed them, or they left the mempool unmined\.$/m)
  assert.match(attentionMailText(listed, 902, URL).text, /^and 900 more: .*\/invoices\?status=attention$/m)
  const many = attentionMailText(listed, 1_001, URL)
  assert.equal(many.subject, 'zatgate: payments of 1,000+ paid invoices are missing')
  assert.match(many.text, /^and more: .*\/invoices\?status=attention$/m)
})
