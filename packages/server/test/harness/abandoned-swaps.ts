import type { Services } from '../../src/container.ts'
import type { NewSwap, Swap } from '../../src/ports/repository/sale/swap.ts'
import type { Store, Tx } from '../../src/ports/store.ts'
import type { SwapProvider } from '../../src/ports/swap-provider.ts'
import { openTestContainer, type TestContainerOptions, type TestScope } from './container.ts'
import { openShop, type Shop } from './fixtures.ts'
import { ManualClock } from './manual-clock.ts'

const NOW = 1_800_000_000
const HOUR = 3_600
/** Swaps that the worker polls at a time. */
const BATCH = 16
/** How long the provider takes to respond. */
const RESPONSE_MS = 500
const MEASURED_MS = 110_000

/** A swap of a new invoice of the shop, `ageSecs` old. Its deadline is 15 minutes after its start. */
export async function insertSwap(tx: Tx, shop: Shop, name: string, ageSecs: number, dueMs: number): Promise<Swap> {
  const createdAt = NOW - ageSecs
  const invoice = await tx.invoices.insert(shop.draft({ createdAt, expiresAt: createdAt + 900 }))
  const draft: NewSwap = {
    publicId: crypto.randomUUID(),
    invoiceId: invoice.id,
    assetId: 'nep141:btc.omft.near',
    symbol: 'BTC',
    blockchain: 'btc',
    decimals: 8,
    refundTo: 'an-address',
    depositAddress: name,
    depositMemo: null,
    amountIn: 101n,
    minAmountIn: 100n,
    amountInUsd: '1',
    amountOutUsd: null,
    contractAddress: null,
    timeEstimate: 150,
    deadline: createdAt + 900,
    quoteDeadline: createdAt + 3 * 24 * HOUR,
    quoteRaw: '{}',
    createdAt,
  }
  const swap = await tx.swaps.insert(draft, dueMs)
  if (!swap) throw new Error(`the deposit address ${name} is taken`)
  return swap
}

/**
 * Polls one new swap beside abandoned ones of another account, all of which are due at the start, for two minutes of a
 * manual clock. The provider takes half a second to respond.
 * @returns the longest delay of a poll of the new swap, which is due every 5 seconds; milliseconds
 */
export async function delayBesideAbandoned(
  scope: TestScope,
  abandoned: number,
  options: Pick<TestContainerOptions, 'databaseUrl'> = {},
): Promise<number> {
  const clock = new ManualClock(NOW)
  const polledAtMs = [NOW * 1000]
  const swapProvider: Pick<SwapProvider, 'status'> = {
    async status({ address }) {
      if (address === 'honest') polledAtMs.push(clock.nowMs())
      return { status: 'PENDING_DEPOSIT', updatedAtMs: NOW * 1000, raw: '{}' }
    },
  }
  const container = await openTestContainer(scope, { ...options, clock, swapProvider: swapProvider as SwapProvider })
  const { store } = container.infrastructure
  await addSwaps(store, abandoned)
  await pollFor(container.services.swapStatus, clock)
  polledAtMs.push(clock.nowMs())
  return Math.max(...polledAtMs.slice(1).map((at, index) => at - polledAtMs[index]!)) - 5_000
}

async function addSwaps(store: Store, abandoned: number): Promise<void> {
  const [attacker, honest] = [await openShop(store), await openShop(store)]
  await store.write(async tx => {
    for (let i = 0; i < abandoned; i++) await insertSwap(tx, attacker, `abandoned ${i}`, 2 * HOUR, NOW * 1000)
    await insertSwap(tx, honest, 'honest', 0, NOW * 1000 + 5_000)
  })
}

/** Polls as the worker does. */
async function pollFor(poller: Services['swapStatus'], clock: ManualClock): Promise<void> {
  const endMs = clock.nowMs() + MEASURED_MS
  while (clock.nowMs() < endMs) clock.advanceMs((await poller.pollDue(BATCH)) > 0 ? RESPONSE_MS : 1_000)
}
