import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isLoopbackInBrowser } from '../../src/domain/host.ts'

test('connections to localhost, 127.0.0.0/8 and ::1 stay on this machine, with and without the brackets of a URL', () => {
  for (const host of ['localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]']) {
    assert.equal(isLoopback(host), true, host)
    assert.equal(isLoopbackInBrowser(host), true, host)
  }
  for (const host of [
    '',
    '10.0.0.5',
    '127.0.0.1.example.org',
    '::2',
    '0.0.0.0',
    'notlocalhost',
    'localhost.example.org',
  ]) {
    assert.equal(isLoopback(host), false, host)
    assert.equal(isLoopbackInBrowser(host), false, host)
  }
})

test('a subdomain of localhost is this machine to a browser, and maybe not to the resolver of this process', () => {
  assert.equal(isLoopbackInBrowser('shop.localhost'), true)
  assert.equal(isLoopback('shop.localhost'), false)
})
