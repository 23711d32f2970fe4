import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { OneClick } from '../../src/oneclick/oneclick.ts'
import { quoteHash, type SignedQuote } from '../../src/oneclick/signature.ts'
import { SEED } from '../fixtures.ts'
import {
  clock,
  ETH,
  KEYS,
  knownStatus,
  oneclick,
  paidToMerchant,
  post,
  quote,
  quoteRequest,
  RECORDED,
  STELLAR,
  server,
  status,
  verifies,
  wallet,
} from './harness.ts'

describe('the signature', () => {
  test('matches recorded quote and status responses of the provider', t => {
    if (!existsSync(RECORDED)) return t.skip('no recorded responses at ../shared/fixtures/oneclick')
    for (const [file, key] of [
      ['sdk-staging-2026-06/quote-dry.json', KEYS.staging],
      ['sdk-staging-2026-06/quote-nondry.json', KEYS.staging],
      ['sdk-staging-2026-06/status-quoteResponse.json', KEYS.staging],
      ['ika-portal-2026-09/quote-nondry-btc-base-usdc.json', KEYS.production],
    ] as const) {
      const response = JSON.parse(readFileSync(join(RECORDED, file), 'utf8')) as SignedQuote & { signature: string }
      const [signature, publicKey] = [response.signature, key].map(text => base58.decode(text.slice('ed25519:'.length)))
      const message = new TextEncoder().encode(quoteHash(response))
      assert.equal(ed25519.verify(signature!, message, publicKey!), true, file)
    }
  })

  test('is verified by the published SDK for simple, memo and dry quotes, and with optional fields', async () => {
    for (const change of [
      {},
      { originAsset: STELLAR, depositMode: 'MEMO' },
      { dry: true },
      { referral: 'zatgate', quoteWaitingTimeMs: 3000 },
    ]) {
      const response = await quote(change)
      assert.equal(verifies(response), true, JSON.stringify(change))
      assert.equal(verifies(response, KEYS.production), false)
    }
  })

  test('is valid in the status response unless the request has quoteWaitingTimeMs, which that response drops', async () => {
    const plain = await quote()
    assert.equal(verifies((await knownStatus(plain.quote.depositAddress!)).quoteResponse), true)
    const waiting = await quote({ quoteWaitingTimeMs: 3000 })
    assert.equal(verifies((await knownStatus(waiting.quote.depositAddress!)).quoteResponse), false)
  })

  test('is invalid after a change of any essential field', async () => {
    const response = await quote()
    for (const name of ['amountIn', 'minAmountIn', 'amountOut', 'depositAddress', 'deadline', 'refundFee']) {
      assert.equal(verifies({ ...response, quote: { ...response.quote, [name]: '1' } }), false, name)
    }
    for (const name of ['recipient', 'refundTo', 'amount', 'originAsset']) {
      assert.equal(verifies({ ...response, quoteRequest: { ...response.quoteRequest, [name]: '1' } }), false, name)
    }
  })

  test('covers the deadline of the quote, which hides the deadline of the request', async () => {
    const response = await quote()
    const deadline = new Date(0).toISOString()
    assert.equal(verifies({ ...response, quoteRequest: { ...response.quoteRequest, deadline } }), true)
    assert.equal(verifies({ ...response, quote: { ...response.quote, deadline } }), false)
  })
})

describe('tokens', () => {
  test('include each kind of asset that a client must handle', async () => {
    const rows = (await (await fetch(`${server.url}/v0/tokens`)).json()) as Record<string, unknown>[]
    assert.ok(
      rows.every(({ assetId, decimals, priceUpdatedAt }) => assetId && Number.isInteger(decimals) && priceUpdatedAt),
    )
    assert.ok(rows.some(({ assetId }) => assetId === 'nep141:zec.omft.near'))
    assert.ok(rows.some(({ symbol }) => String(symbol).endsWith('_(DEPRECATED)')))
    assert.ok(rows.some(({ price }) => price === 0))
    assert.ok(rows.some(({ price }) => String(price).includes('e-')))
    assert.ok(rows.some(({ blockchain }) => blockchain === 'stellar'))
  })
})

describe('a quote', () => {
  test('has an exact output, fees on top, and a unique address that outlives the requested deadline', async () => {
    const request = quoteRequest()
    const [first, second] = [await quote(), await quote()]
    const { amountIn, minAmountIn, amountOut, minAmountOut, amountInUsd, amountOutUsd, deadline } = first.quote
    assert.deepEqual([amountOut, minAmountOut], [request.amount, request.amount])
    assert.ok(BigInt(minAmountIn) < BigInt(amountIn))
    assert.ok(Number(amountInUsd) > Number(amountOutUsd) && Number(amountInUsd) < Number(amountOutUsd) * 1.01)
    assert.equal(Date.parse(deadline!) - Date.parse(request.deadline), 3 * 24 * 3600 * 1000)
    assert.notEqual(first.quote.depositAddress, second.quote.depositAddress)
  })

  test('returns normalised asset ids and an app fee of 20 basis points', async () => {
    const { quoteRequest: echo } = await quote()
    assert.deepEqual([echo.originAsset, echo.destinationAsset], ['1cs_v1:eth:native:coin', '1cs_v1:zec:native:coin'])
    assert.deepEqual(echo.appFees, [{ recipient: 'sandbox.near', fee: 20 }])
  })

  test('for a chain with shared addresses requires memo mode, and its status requires the memo', async () => {
    assert.equal((await post(quoteRequest({ originAsset: STELLAR }))).status, 400)
    const { quote: created } = await quote({ originAsset: STELLAR, depositMode: 'MEMO' })
    assert.match(created.depositAddress!, /^G[A-Z2-7]{55}$/)
    assert.match(created.depositMemo!, /^\d+$/)
    assert.equal(await status(created.depositAddress!), 404)
    assert.equal((await knownStatus(created.depositAddress!, created.depositMemo)).status, 'PENDING_DEPOSIT')
  })

  test('has no address and no deadline in a dry run', async () => {
    const { quote: created } = await quote({ dry: true })
    assert.deepEqual([created.depositAddress, created.deadline], [undefined, undefined])
  })

  for (const [name, change, message] of [
    ['an unpayable recipient', { recipient: 't1LPZcKWXfAQeB4pNCUbRFzHi96R1KNpdo8' }, 'recipient is not valid'],
    ['an invalid refund address', { refundTo: 'invalid-address' }, 'refundTo is not valid'],
    ['a too small amount', { amount: '99999' }, 'Amount is too low for bridge, try at least 100000'],
    ['an unknown asset', { originAsset: 'nep141:nothing' }, 'tokenIn is not valid'],
    ['ZEC itself', { originAsset: 'nep141:zec.omft.near' }, 'tokenIn is not valid'],
    ['another destination', { destinationAsset: ETH }, 'tokenOut is not valid'],
    ['an asset without a price', { originAsset: 'nep141:abg-966.meme-cooking.near' }, 'No liquidity available'],
    ['invalid fields', { amount: 5, refundTo: '' }, ['amount must be a string', 'refundTo should not be empty']],
    ['a past deadline', { deadline: new Date(0).toISOString() }, 'deadline must be in the future'],
  ] as const) {
    test(`is rejected for ${name} with the message of the provider`, async () => {
      const response = await post(quoteRequest(change))
      const body = (await response.json()) as Record<string, unknown>
      assert.deepEqual([response.status, body.message, body.path], [400, message, '/v0/quote'])
    })
  }

  test('accepts the minimum amount', async () => {
    assert.equal((await quote({ amount: '100000' })).quote.amountOut, '100000')
  })
})

describe('a swap', () => {
  async function started(): Promise<string> {
    return (await quote()).quote.depositAddress!
  }

  test('stays PENDING_DEPOSIT without time limit, with null details', async () => {
    const address = await started()
    const before = await knownStatus(address)
    clock.advance(30 * 24 * 3600)
    const later = await knownStatus(address)
    assert.deepEqual(later, before)
    assert.equal(later.status, 'PENDING_DEPOSIT')
    assert.equal(later.swapDetails.amountIn, null)
    assert.deepEqual(later.swapDetails.originChainTxHashes, [])
  })

  test('accepts any status in any order, with increasing updatedAt', async () => {
    const address = await started()
    let last = (await knownStatus(address)).updatedAt
    for (const outcome of ['KNOWN_DEPOSIT_TX', 'PENDING_DEPOSIT', 'PROCESSING', 'FAILED', 'REFUNDED', 'QUANTUM_FOAM']) {
      oneclick.drive(address, { outcome })
      const { status: now, updatedAt } = await knownStatus(address)
      assert.equal(now, outcome)
      assert.ok(updatedAt > last)
      last = updatedAt
    }
  })

  test('pays the recipient the exact amount on the chain on SUCCESS', async () => {
    const address = await started()
    const before = paidToMerchant().length
    const swap = oneclick.drive(address, { outcome: 'SUCCESS' })!
    assert.deepEqual(paidToMerchant().slice(before), [5_000_000n])
    const { status: now, swapDetails } = await knownStatus(address)
    assert.equal(now, 'SUCCESS')
    assert.deepEqual(swapDetails.destinationChainTxHashes, [{ hash: swap.state.payoutTxid, explorerUrl: '' }])
    assert.deepEqual([swapDetails.amountIn, swapDetails.amountOut], [swap.quoteResponse.quote.amountIn, '5000000'])
  })

  test('can pay before SUCCESS, after it, or never', async () => {
    const [early, late, never] = [await started(), await started(), await started()]
    const before = paidToMerchant().length
    oneclick.drive(never, { outcome: 'SUCCESS', deliver: false })
    oneclick.drive(late, { outcome: 'SUCCESS', deliver: false })
    assert.equal(paidToMerchant().length, before)
    assert.deepEqual((await knownStatus(late)).swapDetails.destinationChainTxHashes, [])
    oneclick.deliver(late)
    oneclick.deliver(early)
    assert.equal(paidToMerchant().length, before + 2)
    assert.equal((await knownStatus(early)).status, 'PENDING_DEPOSIT')
    oneclick.drive(early, { outcome: 'SUCCESS', deliver: false })
    assert.equal(paidToMerchant().length, before + 2)
  })

  test('has INCOMPLETE_DEPOSIT after a too small deposit, and PROCESSING after a top-up', async () => {
    const { quote: created } = await quote()
    const address = created.depositAddress!
    const min = BigInt(created.minAmountIn)
    oneclick.deposit(address, min - 1n)
    const incomplete = await knownStatus(address)
    assert.deepEqual([incomplete.status, incomplete.swapDetails.depositedAmount], ['INCOMPLETE_DEPOSIT', `${min - 1n}`])
    oneclick.deposit(address, 1n)
    assert.equal((await knownStatus(address)).status, 'PROCESSING')
  })

  test('refunds an incomplete deposit, less a fee, when the address expires', async () => {
    const { quote: created } = await quote()
    oneclick.deposit(created.depositAddress!, 1_000_000n)
    clock.advance((Date.parse(created.deadline!) - clock.nowMs()) / 1000 - 1)
    assert.equal((await knownStatus(created.depositAddress!)).status, 'INCOMPLETE_DEPOSIT')
    clock.advance(1)
    const { status: now, swapDetails } = await knownStatus(created.depositAddress!)
    assert.deepEqual([now, swapDetails.refundedAmount], ['REFUNDED', '999000'])
  })

  test('accepts a late deposit while the address is active and refunds the excess, less a fee', async () => {
    const { quote: created } = await quote()
    clock.advance(3600)
    const excess = 10_000n
    oneclick.deposit(created.depositAddress!, BigInt(created.amountIn) + excess)
    assert.equal((await knownStatus(created.depositAddress!)).status, 'PROCESSING')
    oneclick.drive(created.depositAddress!, { outcome: 'SUCCESS' })
    assert.equal((await knownStatus(created.depositAddress!)).swapDetails.refundedAmount, '9990')
  })

  test('is not found before it is indexed, or with a wrong memo', async () => {
    oneclick.settings.pollsUntilVisible = 2
    const address = await started()
    assert.deepEqual([await status(address), await status(address)], [404, 404])
    assert.equal((await knownStatus(address)).status, 'PENDING_DEPOSIT')
    assert.equal(await status(address, '5'), 404)
    assert.equal(await status('nowhere'), 404)
  })

  test('can return states out of order', async () => {
    const address = await started()
    oneclick.drive(address, { outcome: 'PROCESSING' })
    oneclick.settings.stalePolls = 1
    const [stale, fresh] = [await knownStatus(address), await knownStatus(address)]
    assert.deepEqual([stale.status, fresh.status], ['PENDING_DEPOSIT', 'PROCESSING'])
    assert.ok(stale.updatedAt < fresh.updatedAt)
  })

  test('persists across a restart, and the next quote has a new address', t => {
    const folder = mkdtempSync(join(tmpdir(), 'zatgate-swaps-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const options = { wallet, seed: SEED, clock, file: join(folder, 'swaps.json') }
    const first = new OneClick(options)
    const address = first.quote(quoteRequest()).quote.depositAddress!
    first.drive(address, { outcome: 'PROCESSING' })
    const second = new OneClick(options)
    assert.equal(second.signingKey, first.signingKey)
    assert.deepEqual(second.status(address, null), first.status(address, null))
    assert.notEqual(second.quote(quoteRequest()).quote.depositAddress, address)
  })
})
