import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QuoteResponse } from '../../src/oneclick/quote.ts'
import { oneclick, post, quote, quoteRequest, server, verifies } from './harness.ts'

describe('faults', () => {
  test('tampered quotes have a valid signature; only `signature` makes it invalid', async () => {
    const request = quoteRequest()
    for (const [tampering, differs, signed] of [
      ['recipient', ({ quoteRequest: echo }: QuoteResponse) => echo.recipient !== request.recipient, true],
      ['refund_to', ({ quoteRequest: echo }: QuoteResponse) => echo.refundTo !== request.refundTo, true],
      ['amount', ({ quote: created }: QuoteResponse) => created.amountOut !== request.amount, true],
      [
        'min_amount_in',
        ({ quote: created }: QuoteResponse) => BigInt(created.minAmountIn) > BigInt(created.amountIn),
        true,
      ],
      [
        'destination_asset',
        ({ quoteRequest: echo }: QuoteResponse) => echo.destinationAsset === '1cs_v1:ltc:native:coin',
        true,
      ],
      ['deadline', ({ quoteRequest: echo }: QuoteResponse) => echo.deadline !== request.deadline, true],
      [
        'old_timestamp',
        ({ timestamp, quoteRequest: echo }: QuoteResponse) =>
          Date.parse(timestamp) < Date.parse(echo.deadline) - 3_600_000,
        true,
      ],
      ['signature', ({ quoteRequest: echo }: QuoteResponse) => echo.recipient === request.recipient, false],
    ] as const) {
      oneclick.settings.tampering = tampering
      const response = await quote()
      assert.equal(differs(response), true, tampering)
      assert.equal(verifies(response), signed, tampering)
    }
  })

  test('a replay returns the previous quote with its signature for any request', async () => {
    const first = await quote()
    oneclick.settings.tampering = 'replay'
    assert.deepEqual(await quote({ refundTo: 'another-address' }), first)
    oneclick.settings.tampering = 'none'
    assert.notDeepEqual(await quote(), first)
  })

  for (const [scripted, expected] of [
    ['bad_request', [400, /"message":"refundTo is not valid"/]],
    ['bad_request_list', [400, /"message":\["amount must be a string"/]],
    ['unauthorized', [401, /Unauthorized/]],
    ['forbidden_html', [403, /<html>/]],
    ['too_many_requests', [429, /Too Many Requests/]],
    ['bad_gateway_html', [502, /<html>/]],
    ['not_json', [200, /<html>/]],
    ['redirect', [302, /^$/]],
  ] as const) {
    test(`${scripted}: sent once, then quotes succeed again`, async () => {
      oneclick.script.add('quote', scripted, 1)
      const response = await post(quoteRequest())
      assert.equal(response.status, expected[0])
      assert.match(await response.text(), expected[1])
      await quote()
    })
  }

  test('reset and cut_off: the response is incomplete', async () => {
    oneclick.script.add('quote', 'reset', 1)
    oneclick.script.add('quote', 'cut_off', 1)
    await assert.rejects(post(quoteRequest()))
    await assert.rejects((await post(quoteRequest())).text())
  })

  test('hang: no response is sent', async () => {
    oneclick.script.add('status', 'hang', 1)
    await assert.rejects(fetch(`${server.url}/v0/status`, { signal: AbortSignal.timeout(50) }), {
      name: 'TimeoutError',
    })
  })

  test('too_much: a body of a gigabyte', async () => {
    oneclick.script.add('tokens', 'too_much', 1)
    const abort = new AbortController()
    const response = await fetch(`${server.url}/v0/tokens`, { signal: abort.signal })
    assert.equal(response.headers.get('content-length'), '1000000000')
    abort.abort()
  })

  test('an API key can be required, and requests are recorded', async () => {
    oneclick.settings.apiKey = 'secret'
    assert.equal((await fetch(`${server.url}/v0/tokens`)).status, 401)
    assert.equal((await fetch(`${server.url}/v0/tokens`, { headers: { 'X-API-Key': 'secret' } })).status, 200)
    assert.deepEqual(server.requests.at(-1), { method: 'GET', url: '/v0/tokens', apiKey: 'secret' })
  })
})
