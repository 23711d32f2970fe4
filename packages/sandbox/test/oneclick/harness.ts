import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { type OneClickQuoteResponse, verifyQuoteSignature } from '@defuse-protocol/one-click-sdk-typescript'
import { tryDecryptTransaction } from '@zatgate/zcash/scan'
import { parseTransaction } from '@zatgate/zcash/transaction'
import { Chain } from '../../src/chain/chain.ts'
import { rawTransaction } from '../../src/chain/transaction.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { OneClick } from '../../src/oneclick/oneclick.ts'
import type { QuoteResponse } from '../../src/oneclick/quote.ts'
import { DEFAULT_SETTINGS } from '../../src/oneclick/script.ts'
import { OneClickServer } from '../../src/oneclick/server.ts'
import { createClock, merchantAddress, merchantKey, SEED } from '../fixtures.ts'

export const RECORDED = join(import.meta.dirname, '../../../../../shared/fixtures/oneclick')
export const KEYS = {
  production: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
  staging: 'ed25519:5J5tkaxyPoR3Q9S8LXfo5bWnXK5Z2bctJ4mB9gENh7co',
}
export const ETH = 'nep141:eth.omft.near'
export const STELLAR = 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz'

export const clock = createClock()
const chain = new Chain({ seed: SEED, clock })
export const wallet = new Wallet(chain)
export const oneclick = new OneClick({ wallet, seed: SEED, clock })
export let server: OneClickServer

before(async () => {
  server = await OneClickServer.start(oneclick, { clock })
})
after(() => server.close())
beforeEach(() => {
  oneclick.script.clear()
  Object.assign(oneclick.settings, DEFAULT_SETTINGS)
})

export function quoteRequest(change: Record<string, unknown> = {}) {
  return {
    dry: false,
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: 100,
    originAsset: ETH,
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: 'nep141:zec.omft.near',
    amount: '5000000',
    refundTo: '0x2527D02599Ba641c19FEa793cD0F167589a0f10D',
    refundType: 'ORIGIN_CHAIN',
    recipient: merchantAddress(4n),
    recipientType: 'DESTINATION_CHAIN',
    deadline: new Date(clock.nowMs() + 600_000).toISOString(),
    depositMode: 'SIMPLE',
    ...change,
  }
}

export async function post(body: unknown): Promise<Response> {
  return fetch(`${server.url}/v0/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
  })
}

export async function quote(change: Record<string, unknown> = {}): Promise<QuoteResponse> {
  const response = await post(quoteRequest(change))
  assert.equal(response.status, 201, await response.clone().text())
  return (await response.json()) as QuoteResponse
}

export interface StatusResponse {
  status: string
  updatedAt: string
  swapDetails: Record<string, unknown>
  quoteResponse: QuoteResponse
}

export async function status(address: string, memo?: string): Promise<StatusResponse | number> {
  const query = new URLSearchParams({ depositAddress: address, ...(memo !== undefined && { depositMemo: memo }) })
  const response = await fetch(`${server.url}/v0/status?${query}`)
  return response.ok ? ((await response.json()) as StatusResponse) : response.status
}

export async function knownStatus(address: string, memo?: string): Promise<StatusResponse> {
  const response = await status(address, memo)
  assert.ok(typeof response === 'object', `status ${response}`)
  return response
}

export function verifies(response: unknown, key = oneclick.signingKey): boolean {
  return verifyQuoteSignature(response as OneClickQuoteResponse, key)
}

export function paidToMerchant(): bigint[] {
  return chain
    .mempool()
    .flatMap(transaction => tryDecryptTransaction([merchantKey], parseTransaction(rawTransaction(transaction))))
    .map(({ note }) => note.value)
}
