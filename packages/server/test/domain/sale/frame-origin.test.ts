import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayFrame } from '../../../src/domain/sale/frame-origin.ts'

test('the page around a frame is named by its origin, as browsers write it', () => {
  for (const origin of [
    'https://shop.example',
    'http://localhost:8080',
    'https://[::1]:3',
    'https://xn--bcher-kva.example',
  ])
    assert.ok(mayFrame(origin), origin)
  for (const other of [
    '',
    '*',
    'null',
    'shop.example',
    'https://shop.example/',
    'https://shop.example:443',
    'https://Shop.example',
    'https://bücher.example',
    'https://user@shop.example',
    'javascript:alert(1)',
    'file://',
    'blob:https://shop.example/x',
  ])
    assert.ok(!mayFrame(other), other)
})
