import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SwapOffer, SwapProvider } from '../../../../src/ports/swap-provider.ts'
import { startTestApi } from '../../../harness/api.ts'
import { type DatabaseEngine, onBothDatabases } from '../../../harness/databases.ts'
import { call, type TestResponse } from '../../../harness/http-call.ts'
import { recordingLog } from '../../../harness/log.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { BTC } from '../../../harness/swap.ts'
import { startProvider } from '../../../harness/swap-provider.ts'

const CAUSE = 'the quote has the deposit address and memo of another swap'

/** Two processes on one database, with provider offers that can be altered after the client has verified them. */
async function start(t: TestContext, engine: DatabaseEngine) {
  const clock = new ManualClock()
  const log = recordingLog()
  const { url: databaseUrl } = await engine.createDatabase(t)
  const { oneclick, provider } = await startProvider(t, { clock })
  const alter: { offer: (offer: SwapOffer) => Partial<SwapOffer> } = { offer: () => ({}) }
  const swapProvider: SwapProvider = {
    ...provider,
    async quote(...request) {
      const offer = await provider.quote(...request)
      return { ...offer, ...alter.offer(offer) }
    },
  }
  const open = async () => {
    const api = await startTestApi({ clock, log, databaseUrl, swapProvider })
    t.after(() => api.close())
    return api
  }
  const [api, other] = [await open(), await open()]
  const { apiKey: token } = await api.merchant()
  return {
    oneclick,
    alter,
    invoice: async (): Promise<string> =>
      (await call(api, 'POST /v1/invoices', { token, json: { amount_zat: 2_500_000 } })).body.id,
    start: (id: string, index: 0 | 1 = 0): Promise<TestResponse> =>
      call([api, other][index] ?? api, `POST /v1/invoices/${id}/swap`, {
        json: { asset_id: BTC, refund_to: 'refund' },
      }),
    swapOf: async (id: string) => (await call(api, `GET /v1/invoices/${id}`)).body.swap,
    startsOf: async (id: string) => {
      const invoice = await api.invoices.read(id)
      return (await api.store.read(tx => tx.swaps.startsSince(invoice.id, 0))).length
    },
    causes: () => log.lines.flatMap(({ details }) => (details.err instanceof Error ? [details.err.message] : [])),
  }
}

function assertUnavailable({ status, body }: TestResponse): void {
  assert.deepEqual([status, body.message], [502, 'swap provider unavailable'])
}

onBothDatabases(engine => {
  const check = (name: string, work: (harness: Awaited<ReturnType<typeof start>>) => Promise<void>) =>
    test(name, async t => work(await start(t, engine)))

  check('a replayed quote of the same invoice is refused, and the earlier swap is kept', async harness => {
    const { oneclick, invoice, start, swapOf, startsOf, causes } = harness
    const id = await invoice()
    const first = await start(id)
    assert.equal(first.status, 200)
    oneclick.settings.tampering = 'replay'
    assertUnavailable(await start(id))
    assert.deepEqual(causes(), [CAUSE])
    assert.equal((await swapOf(id)).deposit_address, first.body.deposit_address)
    assert.equal(await startsOf(id), 2)
    oneclick.settings.tampering = 'none'
    assert.equal((await start(id)).status, 200)
  })

  check(
    'a deposit address of another invoice is refused; with another memo it is accepted as another deposit',
    async harness => {
      const { alter, invoice, start, swapOf, causes } = harness
      alter.offer = () => ({ depositAddress: 'shared' })
      assert.equal((await start(await invoice())).status, 200)
      const other = await invoice()
      assertUnavailable(await start(other))
      assert.deepEqual([await swapOf(other), causes()], [null, [CAUSE]])
      for (const memo of ['1', '2']) {
        alter.offer = () => ({ depositAddress: 'shared', depositMemo: memo })
        assert.equal((await start(other)).status, 200)
      }
      assertUnavailable(await start(await invoice()))
    },
  )

  check('of two processes that receive the same deposit address at once, one keeps it', async harness => {
    const { alter, invoice, start } = harness
    const ids = await Promise.all(Array.from({ length: 8 }, invoice))
    alter.offer = () => ({ depositAddress: 'shared' })
    const responses = await Promise.all(ids.map((id, index) => start(id, index % 2 === 0 ? 0 : 1)))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array(7).fill(502)])
  })
})
