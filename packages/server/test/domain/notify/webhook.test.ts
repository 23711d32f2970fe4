import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookUrlProblem } from '../../../src/domain/notify/webhook.ts'

test('a webhook URL is absolute https without credentials or fragment; http only when it is allowed', () => {
  for (const good of [
    'https://shop.example',
    'https://shop.example/in?key=1',
    'HTTPS://shop.example:8443/',
    'https://bücher.example/',
    `https://shop.example/${'x'.repeat(2_048 - 21)}`,
  ]) {
    assert.equal(webhookUrlProblem(good, false), null, good)
  }
  for (const bad of [
    '',
    'shop.example',
    '/webhook',
    '//shop.example/',
    'https:',
    'https:shop.example',
    'https://',
    'http://shop.example/',
    'ftp://shop.example/',
    'javascript:alert(1)',
    'https://user@shop.example/',
    'https://:secret@shop.example/',
    'https://shop.example/#',
    'https://shop.example/#top',
    ' https://shop.example/',
    'https://shop.example/\n',
    'https://sh op.example/',
    'https://shop.example/a\tb',
    'https://shop.example:99999/',
    'https://[::1/',
    `https://shop.example/${'x'.repeat(2_048 - 20)}`,
  ]) {
    assert.notEqual(webhookUrlProblem(bad, false), null, bad)
  }
  assert.equal(webhookUrlProblem('http://localhost:3001/webhook', true), null)
  assert.notEqual(webhookUrlProblem('ftp://localhost/', true), null)
})
