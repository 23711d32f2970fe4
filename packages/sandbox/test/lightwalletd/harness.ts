import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import type { CompactBlock } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { ManualClock } from '../../../server/test/harness/manual-clock.ts'
import { Chain } from '../../src/chain/chain.ts'
import { Wallet } from '../../src/chain/wallet.ts'
import { NO_FAULTS } from '../../src/lightwalletd/faults.ts'
import { Lightwalletd } from '../../src/lightwalletd/server.ts'
import { createClock, SEED } from '../fixtures.ts'
import { connectClient, type LightwalletClient } from '../lightwallet-client.ts'
import { blockRange } from './suite/assertions.ts'

export let chain: Chain
export let clock: ManualClock
export let wallet: Wallet
export let lightwalletd: Lightwalletd
export let client: LightwalletClient['client']

export const connect = (url: string) => connectClient(url).client

before(async () => {
  clock = createClock()
  chain = new Chain({ seed: SEED, clock, nu63Height: 3 })
  wallet = new Wallet(chain)
  lightwalletd = await Lightwalletd.start(chain)
  client = connect(lightwalletd.url)
})

after(() => lightwalletd.close())
beforeEach(() => lightwalletd.setFaults({ ...NO_FAULTS, mempoolCacheMs: 0, blockCacheMs: 0 }))

export async function failsWith(code: Code, work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, error => {
    assert.equal(Code[ConnectError.from(error).code], Code[code], String(error))
    return true
  })
}

export function range(start: number, end: number): AsyncIterable<CompactBlock> {
  return blockRange({ client }, start, end)
}
