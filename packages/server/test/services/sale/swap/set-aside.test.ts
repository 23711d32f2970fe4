import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Swap } from '../../../../src/ports/repository/sale/swap.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { poisonRow } from '../../../harness/poison.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

onBothDatabases(engine => {
  for (const position of [0, 2, 4])
    test(`a swap that cannot be written, at place ${position}, keeps no other from being polled, and is polled when it is repaired`, async t => {
      const { url } = await engine.createDatabase(t)
      const harness = await SwapHarness.start(t, { container: { databaseUrl: url } })
      const { services, clock } = harness.chainSync
      const swaps: Swap[] = []
      for (let made = 0; made < 5; made++) swaps.push(await harness.start(await harness.invoice()))
      const bad = swaps[position]!
      for (const swap of swaps) harness.drive(swap, 'PROCESSING')
      const repair = await poisonRow(url, { table: 'swaps', column: 'id', value: String(bad.id), on: 'UPDATE' })
      clock.advance(60)
      await harness.pollNow()
      const statuses = () => Promise.all(swaps.map(async swap => (await harness.read(swap)).status))
      const others = (own: string) => swaps.map(swap => (swap === bad ? own : 'PROCESSING'))
      assert.deepEqual(await statuses(), others('PENDING_DEPOSIT'))
      const kinds = async () => (await services.setAsides.countByKind()).map(({ kind, rows }) => [kind, rows])
      assert.deepEqual(await kinds(), [['swap', 1]])
      await repair()
      clock.advance(60)
      await harness.swapStatus.retrySetAside()
      assert.deepEqual(await statuses(), others('PROCESSING'))
      assert.deepEqual(await kinds(), [])
    })
})
