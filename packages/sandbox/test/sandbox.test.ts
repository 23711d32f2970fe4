import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import nodemailer from 'nodemailer'
import { type Sandbox, startSandbox } from '../src/sandbox.ts'
import { createClock, merchantAddress, merchantKey, paymentUri, SEED } from './fixtures.ts'
import { connectClient } from './lightwallet-client.ts'

let sandbox: Sandbox

before(async () => {
  sandbox = await startSandbox({ seed: SEED, clock: createClock() })
})
after(() => sandbox.close())

interface JsonResponse {
  status: number
  body: Record<string, unknown>
}

async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<JsonResponse> {
  const response = await fetch(`${sandbox.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const lightwalletd = () => connectClient(sandbox.lightwalletdUrl).client

describe('the control API', () => {
  test('POST /pay, /mine and /reorg change the chain and return the documented fields', async () => {
    const paid = await call('POST', '/pay', { uri: paymentUri(500n), amount_zat: 300, memo: 'part', pool: 'ironwood' })
    assert.equal(paid.status, 200)
    assert.match(String(paid.body.txid), /^[0-9a-f]{64}$/)
    assert.deepEqual(Object.keys(paid.body), ['txid'])
    const height = sandbox.chain.height
    assert.deepEqual(await call('POST', '/mine', { blocks: 3 }), { status: 200, body: { height: height + 3 } })
    assert.equal(sandbox.chain.find(String(paid.body.txid))!.location, height + 1)
    assert.deepEqual(await call('POST', '/reorg', { depth: 3 }), { status: 200, body: { height: height + 3 } })
    assert.deepEqual((await call('GET', '/chain')).body.mempool, [paid.body.txid])
    await call('POST', '/mine', { blocks: 1 })
    await call('POST', '/reorg', { depth: 1, drop: [paid.body.txid] })
    assert.deepEqual((await call('GET', '/chain')).body.mempool, [])
  })

  test('POST /chain stops the light-wallet server and restarts it on the same port', async () => {
    assert.equal((await call('POST', '/chain', { down: true })).body.down, true)
    await assert.rejects(lightwalletd().getLatestBlock({}))
    assert.equal((await call('POST', '/chain', { down: false })).body.down, false)
    assert.equal((await lightwalletd().getLatestBlock({})).height, BigInt(sandbox.chain.height))
  })

  test('POST /faults sets single faults, GET /faults shows them, and invalid values are rejected', async () => {
    const set = await call('POST', '/faults', { lag_blocks: 1, chain_name: 'main', cut_stream_after: 2 })
    assert.deepEqual([set.body.lag_blocks, set.body.chain_name, set.body.hang], [1, 'main', false])
    assert.equal((await lightwalletd().getLightdInfo({})).chainName, 'main')
    const reset = await call('POST', '/faults', { lag_blocks: 0, chain_name: null, cut_stream_after: null })
    assert.deepEqual(await call('GET', '/faults'), reset)
    assert.equal((await call('POST', '/faults', { garbage: 'some' })).body.code, 'invalid_garbage')
    assert.equal((await call('POST', '/faults', { down: true })).body.code, 'unknown_field')
  })

  test('POST /faults sets mempool_cache_ms, frozen and hide_mempool', async () => {
    const txid = '00'.repeat(32)
    const set = await call('POST', '/faults', { mempool_cache_ms: 0, frozen: true, hide_mempool: [txid] })
    assert.deepEqual([set.body.mempool_cache_ms, set.body.frozen, set.body.hide_mempool], [0, true, [txid]])
    const { height } = sandbox.chain
    sandbox.chain.mine()
    assert.equal((await lightwalletd().getLatestBlock({})).height, BigInt(height))
    const reset = await call('POST', '/faults', { mempool_cache_ms: 2000, frozen: false, hide_mempool: false })
    assert.deepEqual([reset.body.mempool_cache_ms, reset.body.hide_mempool], [2000, false])
    assert.equal((await lightwalletd().getLatestBlock({})).height, BigInt(height + 1))
    for (const hide_mempool of ['all', ['x'], null]) {
      const { body } = await call('POST', '/faults', { hide_mempool })
      assert.equal(body.code, 'invalid_hide_mempool')
      assert.match(String(body.message), /must be true, false or an array of transaction ids/)
    }
  })

  test('POST /faults sets the faults of the node and of a server without the latest upgrade', async () => {
    const change = {
      block_cache_ms: 0,
      node_fails: ['getbestblockhash'],
      mempool_fails: true,
      stops_at_height: 1,
      branch_id: '37a5165b',
      estimated_height: 9,
    }
    const { body } = await call('POST', '/faults', change)
    for (const [name, value] of Object.entries(change)) assert.deepEqual(body[name], value, name)
    for (let turn = 0; sandbox.lightwalletd.running && turn < 1_000; turn++) await nextTurn()
    assert.equal((await call('GET', '/chain')).body.running, false)
    const none = { block_cache_ms: 2000, node_fails: [], mempool_fails: false, stops_at_height: null, branch_id: null }
    await call('POST', '/faults', { ...none, estimated_height: null, node_down: false })
    assert.equal((await call('GET', '/chain')).body.running, true)
    assert.equal((await lightwalletd().getLatestBlock({})).height, BigInt(sandbox.chain.height))
    for (const [name, value, wanted] of [
      ['node_fails', ['getpeerinfo'], /an array of getbestblockhash, /],
      ['node_fails', 'getblock', /an array of/],
      ['node_down', 1, /true or false/],
      ['stops_at_height', 0, /an integer from 1/],
      ['branch_id', '0x37a5165b', /8 lower-case hexadecimal digits/],
      ['estimated_height', -1, /an integer from 0/],
    ] as const) {
      const rejected = await call('POST', '/faults', { [name]: value })
      assert.equal(rejected.body.code, `invalid_${name}`)
      assert.match(String(rejected.body.message), wanted)
    }
  })

  test('GET / lists every call, as JSON and as a page with links', async () => {
    const calls = (await call('GET', '/')).body as unknown as { method: string; path: string; effect: string }[]
    assert.ok(calls.length >= 19)
    for (const { effect } of calls) assert.match(effect, /^[A-Z].+\.$/)
    const response = await fetch(`${sandbox.controlUrl}/`, { headers: { accept: 'text/html' } })
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const page = await response.text()
    for (const { method, path } of calls) assert.ok(page.includes(`${method} ${path}`), path)
    for (const [, link] of page.matchAll(/href="([^"]+)"/g))
      assert.equal((await call('GET', link as string)).status, 200)
  })

  test('GET /mail returns the mails of a recipient, newest first', async () => {
    const transport = nodemailer.createTransport(sandbox.smtpUrl)
    const mail = { from: 'zatgate@example.org', to: 'm@example.org', subject: 'Sign in', text: 'Your code: 123456' }
    await transport.sendMail(mail)
    const { body } = await call('GET', '/mail?to=m%40example.org')
    assert.deepEqual(body, [{ to: mail.to, subject: mail.subject, text: mail.text, code: '123456' }])
    assert.deepEqual((await call('GET', '/mail?to=nobody%40example.org')).body, [])
    await transport.sendMail({ ...mail, subject: '<script>' })
    transport.close()
    const page = await (await fetch(`${sandbox.controlUrl}/mail`, { headers: { accept: 'text/html' } })).text()
    assert.match(page, /<h2>&lt;script&gt;<\/h2>\n<p>To m@example\.org<\/p>\n<p>Code: <strong>123456<\/strong>/)
  })

  test('POST /swaps sets the status of a swap, and SUCCESS pays the recipient unless `deliver` is false', async () => {
    const address = await quotedAddress()
    const processing = await call('POST', `/swaps/${address}`, {
      outcome: 'PROCESSING',
      amount_in: '12345678901234567890',
    })
    assert.deepEqual([processing.body.status, processing.body.deposited], ['PROCESSING', '12345678901234567890'])
    const success = await call('POST', `/swaps/${address}`, { outcome: 'SUCCESS' })
    assert.equal(sandbox.chain.find(String(success.body.payout_txid))!.location, 'mempool')
    const unpaid = await quotedAddress()
    assert.equal(
      (await call('POST', `/swaps/${unpaid}`, { outcome: 'SUCCESS', deliver: false })).body.payout_txid,
      null,
    )
    assert.match(String((await call('POST', `/swaps/${unpaid}/deliver`, {})).body.txid), /^[0-9a-f]{64}$/)
    const small = await quotedAddress()
    assert.equal((await call('POST', `/swaps/${small}/deposit`, { amount_in: 1 })).body.status, 'INCOMPLETE_DEPOSIT')
    assert.deepEqual(await call('POST', '/swaps/nowhere', { outcome: 'FAILED' }), {
      status: 404,
      body: { code: 'no_such_swap', message: 'no quote has this deposit address' },
    })
    assert.equal((await call('POST', `/swaps/${small}`, { outcome: 'LOST' })).body.code, 'invalid_outcome')
  })

  test('POST /swap-provider injects faults, and a reset removes them', async () => {
    await call('POST', '/swap-provider/script', { endpoint: 'tokens', response: 'bad_gateway_html', times: 2 })
    assert.equal((await fetch(`${sandbox.swapApiUrl}/v0/tokens`)).status, 502)
    assert.equal((await call('POST', '/swap-provider', { tampering: 'amount', api_key: 'k' })).body.tampering, 'amount')
    const { body } = await call('POST', '/swap-provider/reset', {})
    assert.deepEqual([body.tampering, body.api_key, body.signing_key], ['none', null, sandbox.swapSigningKey])
    assert.equal((await fetch(`${sandbox.swapApiUrl}/v0/tokens`)).status, 200)
  })

  test('POST /webhooks scripts the receiver, and GET /webhooks returns the received requests', async () => {
    const responses = [{ kind: 'status', status: 503 }]
    const { body: scripted } = await call('POST', '/webhooks', { responses })
    assert.deepEqual(scripted, { url: sandbox.webhookUrl, path: '/', responses: 1 })
    const elsewhere = await call('POST', '/webhooks', { path: '/shop?a=1', responses })
    assert.equal(elsewhere.body.url, `${sandbox.webhookUrl}shop?a=1`)
    for (const path of ['shop', '/a b', '']) {
      assert.equal((await call('POST', '/webhooks', { path, responses })).body.code, 'invalid_path')
    }
    assert.equal((await fetch(sandbox.webhookUrl, { method: 'POST', body: '{"type":"test"}' })).status, 503)
    const [row] = (await call('GET', '/webhooks')).body as unknown as Record<string, unknown>[]
    assert.deepEqual([row!.method, row!.path, row!.body], ['POST', '/', '{"type":"test"}'])
    assert.equal((await call('POST', '/webhooks', { responses: [{ kind: 'explode' }] })).body.code, 'invalid_kind')
    assert.equal((await call('POST', '/webhooks', { responses: [] })).body.code, 'invalid_responses')
  })

  test('POST /rates sets prices', async () => {
    assert.equal((await call('POST', '/rates', { pair: 'ZECUSD', price: '99.5' })).status, 200)
    const ticker = await (await fetch(`${sandbox.ratesUrl}/0/public/Ticker?pair=ZECUSD`)).json()
    assert.equal((ticker as { result: Record<string, { o: string }> }).result.XZECZUSD!.o, '99.5')
    assert.equal((await call('POST', '/rates', { pair: 'ZECUSD', price: '1e3' })).body.code, 'invalid_price')
  })

  for (const [name, path, body, status, code] of [
    ['a missing URI', '/pay', {}, 400, 'invalid_uri'],
    ['an invalid URI', '/pay', { uri: 'http://x' }, 400, 'invalid_uri'],
    ['a fractional amount', '/pay', { uri: paymentUri(1n), amount_zat: 0.5 }, 400, 'invalid_amount_zat'],
    ['an amount as a string', '/pay', { uri: paymentUri(1n), amount_zat: '5' }, 400, 'invalid_amount_zat'],
    [
      'an amount above the maximum',
      '/pay',
      { uri: paymentUri(1n), amount_zat: 2_100_000_000_000_001 },
      400,
      'invalid_amount_zat',
    ],
    ['a missing amount', '/pay', { uri: `zcash:${merchantAddress()}` }, 400, 'invalid_amount_zat'],
    ['an unknown pool', '/pay', { uri: paymentUri(1n), pool: 'sapling' }, 400, 'invalid_pool'],
    ['a pool that is closed for payments', '/pay', { uri: paymentUri(1n), pool: 'orchard' }, 400, 'invalid_pool'],
    ['an overlong memo', '/pay', { uri: paymentUri(1n), memo: 'ü'.repeat(300) }, 400, 'invalid_memo'],
    ['an unknown field', '/pay', { uri: paymentUri(1n), amount: 1 }, 400, 'unknown_field'],
    ['a missing number of blocks', '/mine', {}, 400, 'invalid_blocks'],
    ['zero blocks', '/mine', { blocks: 0 }, 400, 'invalid_blocks'],
    ['too many blocks', '/mine', { blocks: 10_001 }, 400, 'invalid_blocks'],
    ['a depth above the height', '/reorg', { depth: 9_999 }, 400, 'invalid_depth'],
    ['an invalid transaction id', '/reorg', { depth: 1, drop: ['x'] }, 400, 'invalid_drop'],
    ['an unknown transaction', '/reorg', { depth: 1, drop: ['00'.repeat(32)] }, 400, 'invalid_drop'],
    ['a string for a boolean', '/chain', { down: 'yes' }, 400, 'invalid_down'],
    ['a body that is not an object', '/mine', [1], 400, 'invalid_json'],
    ['an unknown path', '/nothing', {}, 404, 'not_found'],
    ['the wrong method', '/mail', {}, 405, 'method_not_allowed'],
  ] as const) {
    test(`rejects ${name} with ${status} ${code}`, async () => {
      const response = await call('POST', path, body)
      assert.deepEqual([response.status, response.body.code], [status, code])
      assert.equal(typeof response.body.message, 'string')
    })
  }

  test('rejects a body that is not JSON, has another content type, or is over 64 KiB', async () => {
    const send = (body: string, type = 'application/json') =>
      fetch(`${sandbox.controlUrl}/mine`, { method: 'POST', body, headers: { 'content-type': type } })
    assert.equal((await send('{')).status, 400)
    assert.equal((await send('{}', 'text/plain')).status, 415)
    assert.equal((await send(JSON.stringify({ blocks: 'x'.repeat(70_000) }))).status, 413)
  })

  test('listens on loopback only and rejects other host names', async () => {
    assert.match(sandbox.controlUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
    const status = await new Promise(resolve => {
      const options = { headers: { host: 'evil.example' } }
      request(`${sandbox.controlUrl}/chain`, options, response => resolve(response.resume().statusCode)).end()
    })
    assert.equal(status, 403)
  })
})

test('no server fails on a malformed request target', async () => {
  const urls = [sandbox.controlUrl, sandbox.swapApiUrl, sandbox.ratesUrl, sandbox.webhookUrl]
  for (const url of urls) {
    for (const path of ['//', '/%zz', '/swaps/%ff', '*', 'http://[', '/0/public/Ticker?pair=constructor']) {
      const { port } = new URL(url)
      await new Promise<void>((resolve, reject) => {
        request({ port, path, agent: false }, response => response.resume().on('end', resolve))
          .on('error', reject)
          .end()
      })
    }
  }
})

test('a sandbox with a data directory keeps its chain and its keys across a restart', async t => {
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-sandbox-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const first = await startSandbox({ dataDir, nu63Height: 4 })
  first.chain.mine(5)
  const tip = first.chain.tip
  await first.close()
  const second = await startSandbox({ dataDir })
  assert.deepEqual(second.chain.tip, tip)
  assert.equal(second.demoViewingKey, first.demoViewingKey)
  assert.equal(second.swapSigningKey, first.swapSigningKey)
  await second.close()
})

test('a testnet sandbox uses testnet keys, payments and swaps, and rejects regtest addresses', async t => {
  const testnet = await startSandbox({ seed: SEED, network: 'test', clock: createClock() })
  t.after(() => testnet.close())
  for (const key of [testnet.demoViewingKey, testnet.operatorViewingKey]) assert.match(key, /^uviewtest1/)
  assert.throws(() => testnet.wallet.pay({ uri: paymentUri(1n) }), /a test address is needed; .* regtest/)
  const recipient = encodeAddress('test', orchardReceiver(merchantKey, 8n))
  assert.equal(testnet.wallet.pay({ uri: formatPaymentUri({ address: recipient, amount: 1n }) }).pool, 'orchard')
  assert.match(await quotedAddress(testnet, recipient), /./)
  await assert.rejects(quotedAddress(testnet, merchantAddress(8n)), /recipient is not valid/)
})

test('two sandboxes without a seed have different keys', async () => {
  const [a, b] = [await startSandbox(), await startSandbox()]
  assert.notEqual(a.demoViewingKey, b.demoViewingKey)
  assert.notEqual(a.swapSigningKey, b.swapSigningKey)
  await Promise.all([a.close(), b.close()])
})

test('a failed start stops the servers that have started', async () => {
  const taken = Number(new URL(sandbox.controlUrl).port)
  await assert.rejects(startSandbox({ ports: { control: taken } }), /which another program uses/)
})

async function quotedAddress(target = sandbox, recipient = merchantAddress(8n)): Promise<string> {
  const { depositAddress } = target.oneclick.quote({
    dry: false,
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: 100,
    originAsset: 'nep141:eth.omft.near',
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: 'nep141:zec.omft.near',
    amount: '1000000',
    refundTo: '0x2527D02599Ba641c19FEa793cD0F167589a0f10D',
    refundType: 'ORIGIN_CHAIN',
    recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: '2026-11-22T00:00:00Z',
  }).quote
  return depositAddress!
}
