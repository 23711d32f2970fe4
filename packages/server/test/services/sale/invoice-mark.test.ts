import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { InvoiceMark } from '../../../src/domain/sale/invoice.ts'
import { type ChainSyncHarness, chainSyncTest, closeNoteScanner } from '../../harness/chain-sync.ts'

after(closeNoteScanner)

const AMOUNT = 1_000n

async function sell(harness: ChainSyncHarness) {
  await harness.sync()
  const invoice = await harness.invoice({ amount: AMOUNT })
  const mark = (as: InvoiceMark) => harness.services.marks.mark(harness.account, invoice.publicId, as)
  const confirm = async () => {
    harness.sandbox.mine(3)
    await harness.sync()
    return harness.read(invoice)
  }
  const types = async () => {
    const { events } = await harness.services.eventFeed.read(harness.account, { limit: 100, waitMs: 0 }, harness.signal)
    return events.map(({ type }) => type).filter(type => type === 'invoice.marked' || type === 'invoice.canceled')
  }
  return { invoice, mark, confirm, types }
}

chainSyncTest(
  'an invoice without money that is marked as invalid is canceled, and money on its way still counts',
  async harness => {
    const { invoice, mark, confirm, types } = await sell(harness)
    const canceled = await mark('invalid')
    assert.deepEqual([canceled.status, canceled.markedAs], ['expired', null])
    assert.deepEqual(await mark('invalid'), canceled, 'repeating it changes nothing')
    harness.pay(invoice, AMOUNT)
    await harness.sync()
    const paid = await confirm()
    assert.deepEqual([paid.status, paid.markedAs], ['paid', null])
    assert.deepEqual(await types(), ['invoice.canceled'])
  },
)

chainSyncTest('once money is seen, the mark is kept beside the status, which follows the chain', async harness => {
  const { invoice, mark, confirm, types } = await sell(harness)
  harness.pay(invoice, AMOUNT)
  await harness.sync()
  const marked = await mark('invalid')
  assert.deepEqual([marked.status, marked.markedAs, marked.canceledAt], ['detected', 'invalid', null])
  const paid = await confirm()
  assert.deepEqual([paid.status, paid.markedAs, paid.receivedZat], ['paid', 'invalid', AMOUNT])
  assert.deepEqual(await types(), ['invoice.marked'])
})

chainSyncTest('a part that has arrived keeps an invoice from being canceled', async harness => {
  const { invoice, mark } = await sell(harness)
  harness.pay(invoice, AMOUNT / 2n)
  await harness.sync()
  const marked = await mark('invalid')
  assert.deepEqual([marked.status, marked.markedAs, marked.canceledAt], ['pending', 'invalid', null])
})

chainSyncTest('an invoice that was canceled and then paid can be marked as invalid', async harness => {
  const { invoice, mark, confirm } = await sell(harness)
  await mark('invalid')
  harness.pay(invoice, AMOUNT)
  await harness.sync()
  assert.equal((await confirm()).status, 'paid')
  assert.equal((await mark('invalid')).markedAs, 'invalid')
})

chainSyncTest('an invoice that is marked as settled has received nothing, and may expire or be paid', async harness => {
  const { invoice, mark, confirm, types } = await sell(harness)
  const marked = await mark('settled')
  assert.deepEqual([marked.status, marked.markedAs, marked.receivedZat], ['pending', 'settled', 0n])
  assert.deepEqual(await mark('settled'), marked)
  assert.equal((await mark('invalid')).markedAs, 'invalid', 'the last word counts, and a marked one is not canceled')
  harness.pay(invoice, AMOUNT)
  await harness.sync()
  assert.equal((await confirm()).status, 'paid')
  assert.deepEqual(await types(), ['invoice.marked', 'invoice.marked'])
})

chainSyncTest('of a mark and a payment at the same time both are kept, whichever comes first', async harness => {
  for (const isMarkFirst of [true, false]) {
    const { invoice, mark, confirm } = await sell(harness)
    harness.pay(invoice, AMOUNT)
    const [first, second] = isMarkFirst
      ? [() => mark('invalid'), () => harness.sync()]
      : [() => harness.sync(), () => mark('invalid')]
    await Promise.all([first(), second()])
    const paid = await confirm()
    assert.deepEqual([paid.status, paid.receivedZat], ['paid', AMOUNT])
    assert.ok((paid.canceledAt === null) !== (paid.markedAs === null), 'either canceled before, or marked after')
  }
})
