import assert from 'node:assert/strict'
import { createMailService } from '../../../src/container.ts'
import type { Invoice, InvoicePurpose } from '../../../src/domain/sale/invoice.ts'
import type { Mailer, OutgoingMail } from '../../../src/ports/mailer.ts'
import type { Store } from '../../../src/ports/store.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { payment } from '../../harness/fixtures.ts'
import type { ChainSimulation } from '../../harness/simulation/simulation.ts'
import { simulationTest } from '../../harness/simulation/simulation.ts'

const DELAY_SECS = 120
const INTERVAL_SECS = 3_600

/** The process that sends mails; `whileSending` runs while the mail server accepts a mail. */
function startMailSender(simulation: ChainSimulation, whileSending: () => Promise<void> = async () => {}) {
  const sent: OutgoingMail[] = []
  let failing = false
  const mailer: Mailer = {
    async send(mail) {
      if (failing) throw new Error('the mail server is down')
      sent.push(mail)
      await whileSending()
    },
    close: () => {},
  }
  const infrastructure = { ...simulation.infrastructure, store: simulation.firstProcess.store }
  const mails = createMailService(infrastructure, mailer, () => 'https://pay.example.org')
  return {
    sent,
    setFailing: (down: boolean) => {
      failing = down
    },
    sendDue: () => mails.sendNotices(20),
  }
}

async function paidInvoice(simulation: ChainSimulation, terms: { amountZat?: bigint; purpose?: InvoicePurpose } = {}) {
  const invoice = await simulation.createInvoice({ confirmations: 1, ...terms })
  simulation.pay(invoice)
  simulation.mine()
  await simulation.firstProcess.sync()
  assert.equal(await simulation.status(invoice), 'paid')
  return invoice
}

/** Replaces the newest blocks with empty ones. Their transactions return to the mempool. */
async function reorganise(simulation: ChainSimulation, depth = 1): Promise<void> {
  simulation.chain.removeBlocks(depth, () => true)
  simulation.mine(depth + 1, [])
  await simulation.firstProcess.sync()
}

async function mineAgain(simulation: ChainSimulation): Promise<void> {
  simulation.mine()
  await simulation.firstProcess.sync()
}

async function needsAttention(simulation: ChainSimulation, invoice: Invoice): Promise<boolean> {
  return (await simulation.read(invoice)).needsAttention
}

/** Number of queued mails, due or not, counted without claiming them. */
async function countQueued(store: Store): Promise<number> {
  const far = 4_000_000_000
  let count = 0
  await assert.rejects(
    store.write(async tx => {
      count = (await tx.mails.claimNotices(far, 100, () => far)).length
      throw new Error('rolled back after counting')
    }),
    /rolled back after counting/,
  )
  return count
}

onBothDatabases(engine => {
  simulationTest(
    engine,
    'a mail about removed payments is sent after two minutes and says what happened, where, and what to do',
    async simulation => {
      const { sent, sendDue } = startMailSender(simulation)
      const invoice = await paidInvoice(simulation, { amountZat: 12_500_000n })
      await reorganise(simulation)
      assert.ok(await needsAttention(simulation, invoice))
      assert.equal(await countQueued(simulation.firstProcess.store), 1)
      simulation.clock.advance(DELAY_SECS - 1)
      assert.equal(await sendDue(), 0)
      simulation.clock.advance(1)
      assert.equal(await sendDue(), 1)
      assert.equal(sent.length, 1)
      const [mail] = sent
      assert.equal(mail?.to, simulation.shop.account.email)
      assert.equal(mail?.subject, 'zatgate: payments of 1 paid invoice are missing')
      assert.match(
        mail?.text ?? '',
        /^- 0\.125 ZEC, paid .* UTC: https:\/\/pay\.example\.org\/invoices\/[0-9a-f-]{36}$/m,
      )
      assert.ok(mail?.text.includes(invoice.publicId))
      assert.match(mail?.text ?? '', /Hold the goods/)
      assert.match(mail?.text ?? '', /mined again/)
      assert.doesNotMatch(mail?.text ?? '', /more/)
      assert.equal(await countQueued(simulation.firstProcess.store), 0)
    },
  )

  simulationTest(engine, 'the mail and the change are committed together or not at all', async simulation => {
    const invoice = await paidInvoice(simulation)
    const { store } = simulation.firstProcess
    const crashing: Store = {
      ...store,
      write: work =>
        store.write(async tx => {
          await work(tx)
          throw new Error('killed')
        }),
    }
    simulation.chain.removeBlocks(1, () => true)
    simulation.mine(2, [])
    await assert.rejects(simulation.process(crashing, simulation.server).sync(), /killed/)
    assert.deepEqual([await needsAttention(simulation, invoice), await countQueued(store)], [false, 0])
    await simulation.firstProcess.sync()
    assert.deepEqual([await needsAttention(simulation, invoice), await countQueued(store)], [true, 1])
  })

  simulationTest(
    engine,
    '3,000 invoices of one account, reorged in several steps, are one mail',
    async simulation => {
      const { sent, sendDue } = startMailSender(simulation)
      const { firstProcess, shop } = simulation
      await firstProcess.sync()
      const base = await simulation.tip()
      await firstProcess.store.write(async tx => {
        for (let i = 0; i < 3_000; i++) {
          const invoice = await tx.invoices.insert(shop.draft({ createdAt: simulation.clock.secs }))
          const height = base + 1 + (i % 300)
          const txid = i.toString(16).padStart(64, '0')
          await tx.payments.upsert([payment(invoice, { txid, location: { at: 'mined', height } })])
          const paid = { status: 'paid', paidAt: simulation.clock.secs, receivedZat: invoice.amountZat } as const
          await tx.invoices.updateStates([{ ...invoice, ...paid }])
        }
      })
      simulation.mine(300)
      await firstProcess.sync()
      const writes: number[] = []
      const countingStore: Store = {
        ...firstProcess.store,
        write: async work => {
          const result = await firstProcess.store.write(work)
          writes.push(await countQueued(firstProcess.store))
          return result
        },
      }
      await simulation.process(countingStore, simulation.server).recordedChain.rewindTo(base, null)
      assert.ok(writes.length >= 3, `${writes.length} steps`)
      assert.deepEqual(
        writes,
        writes.map(() => 1),
      )
      simulation.clock.advance(DELAY_SECS)
      await sendDue()
      assert.equal(sent.length, 1)
      assert.equal(sent[0]?.subject, 'zatgate: payments of 1,000+ paid invoices are missing')
      assert.equal(sent[0]?.text.match(/^- .+\/invoices\/[0-9a-f-]{36}$/gm)?.length, 10)
      assert.match(sent[0]?.text ?? '', /^and more: https:\/\/pay\.example\.org\/invoices\?status=attention$/m)
    },
    { store: { limits: { transactionTimeoutMs: 120_000 } } },
  )

  simulationTest(engine, 'payments that are mined again before the mail is due are not mailed', async simulation => {
    const { sent, sendDue } = startMailSender(simulation)
    const invoice = await paidInvoice(simulation)
    await reorganise(simulation)
    simulation.clock.advance(DELAY_SECS - 10)
    await mineAgain(simulation)
    assert.equal(await needsAttention(simulation, invoice), false)
    simulation.clock.advance(10)
    assert.equal(await sendDue(), 1)
    assert.deepEqual(sent, [])
    assert.equal(await countQueued(simulation.firstProcess.store), 0, 'the next reorganisation is not delayed')
  })

  simulationTest(
    engine,
    'an account gets no second mail within the hour, and one after it if payments are still missing',
    async simulation => {
      const { sent, sendDue } = startMailSender(simulation)
      const first = await paidInvoice(simulation)
      await reorganise(simulation)
      simulation.clock.advance(DELAY_SECS)
      await sendDue()
      assert.equal(sent.length, 1)

      const second = await paidInvoice(simulation)
      await reorganise(simulation)
      assert.ok(await needsAttention(simulation, second))
      for (let secs = 0; secs < INTERVAL_SECS - 60; secs += 60) {
        simulation.clock.advance(60)
        await sendDue()
      }
      assert.equal(sent.length, 1)
      simulation.clock.advance(60)
      await sendDue()
      assert.equal(sent.length, 2)
      assert.ok(sent[1]?.text.includes(second.publicId))
      assert.equal(sent[1]?.text.includes(first.publicId), await needsAttention(simulation, first))
    },
  )

  simulationTest(engine, 'payments mined again within the hour cause no second mail', async simulation => {
    const { sent, sendDue } = startMailSender(simulation)
    const invoice = await paidInvoice(simulation)
    await reorganise(simulation)
    simulation.clock.advance(DELAY_SECS)
    await sendDue()
    await mineAgain(simulation)
    await reorganise(simulation)
    assert.ok(await needsAttention(simulation, invoice))
    await mineAgain(simulation)
    simulation.clock.advance(INTERVAL_SECS)
    await sendDue()
    assert.equal(sent.length, 1)
    assert.equal(await countQueued(simulation.firstProcess.store), 0)
  })

  simulationTest(
    engine,
    'an invoice whose payments are removed while the mail is being sent is in the next mail',
    async simulation => {
      let late: Invoice | undefined
      const { sent, sendDue } = startMailSender(simulation, async () => {
        if (late) return
        late = await paidInvoice(simulation)
        await reorganise(simulation)
      })
      await paidInvoice(simulation)
      await reorganise(simulation)
      simulation.clock.advance(DELAY_SECS)
      await sendDue()
      assert.ok(late && (await needsAttention(simulation, late)))
      assert.equal(await countQueued(simulation.firstProcess.store), 1)
      simulation.clock.advance(INTERVAL_SECS - 1)
      assert.equal(await sendDue(), 0)
      simulation.clock.advance(1)
      await sendDue()
      assert.equal(sent.length, 2)
      assert.ok(sent[1]?.text.includes(late.publicId))
    },
  )

  simulationTest(engine, 'a mail that cannot be sent is composed again for each attempt', async simulation => {
    const { sent, setFailing, sendDue } = startMailSender(simulation)
    await paidInvoice(simulation)
    await reorganise(simulation)
    setFailing(true)
    simulation.clock.advance(DELAY_SECS)
    await sendDue()
    await mineAgain(simulation)
    const later = await paidInvoice(simulation)
    await reorganise(simulation)
    setFailing(false)
    simulation.clock.advance(60)
    await sendDue()
    assert.equal(sent.length, 1)
    assert.equal(sent[0]?.subject, 'zatgate: payments of 1 paid invoice are missing')
    assert.ok(sent[0]?.text.includes(later.publicId))
  })

  simulationTest(engine, 'after a sender crashes before sending, the mail is attempted again', async simulation => {
    const { sent, sendDue } = startMailSender(simulation)
    await paidInvoice(simulation)
    await reorganise(simulation)
    simulation.clock.advance(DELAY_SECS)
    const retryAt = simulation.clock.secs + 60
    await simulation.firstProcess.store.write(tx => tx.mails.claimNotices(simulation.clock.secs, 20, () => retryAt))
    assert.equal(await sendDue(), 0)
    simulation.clock.advance(60)
    await sendDue()
    assert.equal(sent.length, 1)
  })

  simulationTest(engine, 'internal invoices, for plans and withdrawals, cause no mail', async simulation => {
    const { sent, sendDue } = startMailSender(simulation)
    for (const purpose of ['plan', 'withdrawal'] as const) {
      const invoice = await paidInvoice(simulation, { purpose })
      await reorganise(simulation)
      assert.ok(await needsAttention(simulation, invoice))
    }
    assert.equal(await countQueued(simulation.firstProcess.store), 0)
    simulation.clock.advance(DELAY_SECS)
    await sendDue()
    assert.deepEqual(sent, [])
  })
})
