import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { closeServer, listen } from '@zatgate/sandbox/http/listen'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { checkSwapProvider } from '../../../src/cli/commands/doctor-swap.ts'
import { type Config, loadConfig } from '../../../src/config/settings.ts'
import { fixturesMissing, recorded } from '../../harness/swap-fixtures.ts'
import { startProvider } from '../../harness/swap-provider.ts'

const OTHER_KEY = 'ed25519:5J5tkaxyPoR3Q9S8LXfo5bWnXK5Z2bctJ4mB9gENh7co'

function configOf(apiUrl: string, signingKey: string | null): Config {
  return { ...loadConfig({}), network: 'regtest', swap: { apiUrl, apiKey: null, signingKey } }
}

/** The finding about the key of a simulated provider, and that provider. */
async function harness(t: TestContext) {
  const { oneclick, server } = await startProvider(t, { clock: systemClock })
  const check = async (signingKey: string | null = oneclick.signingKey) => {
    const findings = await checkSwapProvider(configOf(server.url, signingKey))
    return findings.find(finding => finding.check === 'swap signing key')
  }
  return { oneclick, check }
}

test('doctor verifies a quote with the configured key, and orders nothing', async t => {
  const { oneclick, check } = await harness(t)
  assert.deepEqual(await check(), {
    check: 'swap signing key',
    state: 'ok',
    says: 'the provider signs its quotes with SWAP_SIGNING_KEY',
  })
  assert.deepEqual(oneclick.swaps(), [])
})

test('doctor says when the provider signs with another key, and which key to set', async t => {
  const { check } = await harness(t)
  assert.deepEqual(await check(OTHER_KEY), {
    check: 'swap signing key',
    state: 'wrong',
    says: 'the provider does not sign its quotes with SWAP_SIGNING_KEY: every swap is refused',
    advice:
      "set SWAP_SIGNING_KEY to the key that this provider publishes; 1Click's is " +
      'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
  })
  const unset = await check(null)
  assert.equal(unset?.state, 'wrong')
  assert.match(unset?.says ?? '', /1Click’s production key \(SWAP_SIGNING_KEY is not set\)/)
  assert.equal(unset?.advice, 'set SWAP_SIGNING_KEY to the key that this provider publishes')
})

test('doctor says when a quote is refused because of the clock', async t => {
  const { oneclick, check } = await harness(t)
  oneclick.settings.tampering = 'old_timestamp'
  const finding = await check()
  assert.equal(finding?.state, 'wrong')
  assert.match(finding?.says ?? '', /^the time of a quote differs from this clock by 36\d\d s: every swap is refused$/)
})

test('doctor says why the key could not be checked', async t => {
  const { oneclick, check } = await harness(t)
  for (const [response, state, says] of [
    ['bad_request', 'skipped', /^could not be checked: the provider refused a dry quote: \w+/],
    ['unauthorized', 'wrong', /^could not be checked: unexpected status 401$/],
    ['bad_gateway_html', 'wrong', /^could not be checked: unexpected status 502$/],
    ['not_json', 'wrong', /^could not be checked: not JSON$/],
  ] as const) {
    oneclick.script.add('quote', response, 1)
    const finding = await check()
    assert.equal(finding?.state, state, response)
    assert.match(finding?.says ?? '', says)
  }
  oneclick.script.add('tokens', 'bad_gateway_html', 1)
  assert.equal((await check())?.says, 'could not be checked: the swap provider does not respond')
})

test('doctor says when there is no asset to quote', async t => {
  const provider = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end('[]'),
  )
  const port = await listen(provider, 0)
  t.after(() => closeServer(provider))
  const findings = await checkSwapProvider(configOf(`http://127.0.0.1:${port}`, null))
  assert.equal(findings[1]?.says, 'could not be checked: the provider lists no asset on btc to quote')
})

test('a recorded dry quote is verified with the key that signed it', { skip: fixturesMissing }, async t => {
  const quote = recorded('sdk-staging-2026-06/quote-dry.json')
  const tokens = recorded('ika-portal-2026-09/tokens-subset.json')
  const bodies: Record<string, unknown>[] = []
  const provider = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/v0/tokens') return response.end(tokens)
    bodies.push(JSON.parse(await text(request)))
    return response.writeHead(201).end(quote)
  })
  const port = await listen(provider, 0)
  t.after(() => closeServer(provider))
  const findings = await checkSwapProvider({ ...configOf(`http://127.0.0.1:${port}`, OTHER_KEY), network: 'main' })
  // The signature is right, and months old.
  assert.match(findings[1]?.says ?? '', /^the time of a quote differs from this clock by \d+ s/)
  const [body] = bodies
  assert.equal(body?.dry, true)
  assert.match(String(body?.recipient), /^u1[a-z0-9]{100,}$/)
  const other = await checkSwapProvider(configOf(`http://127.0.0.1:${port}`, null))
  assert.match(other[1]?.says ?? '', /^the provider does not sign its quotes with 1Click/)
  const { refundTo } = JSON.parse(recorded('ika-portal-2026-09/quote-nondry-btc-base-usdc.json')).quoteRequest
  assert.equal(body?.refundTo, refundTo)
})
