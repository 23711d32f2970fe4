import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { noBrowser, useBrowser } from './browser.ts'
import { withoutMarks } from './buyer-view.ts'
import { inspect } from './inspect.ts'
import { visit } from './visit.ts'

const EMAIL = 'reorged@example.org'

describe('after a reorganisation removed payments of paid invoices', () => {
  const clock = fastClock()
  let harness: SandboxService
  let account: Account
  let cookie: string

  before(async () => {
    harness = await startSandboxService({ clock })
    const { accounts, sessions, viewingKeys } = harness.service
    await accounts.findOrCreate(EMAIL)
    await accounts.setPlan(EMAIL, 'Business', null)
    await viewingKeys.set(await accounts.findByEmail(EMAIL), harness.sandbox.demoViewingKey)
    account = await accounts.findByEmail(EMAIL)
    cookie = `__Host-zatgate=${(await sessions.create(account, 'test')).token}`
  })
  after(() => harness?.close())

  const page = async (path: string) => {
    const { status, text } = await visit(harness, `GET ${path}`, { cookie })
    assert.equal(status, 200, path)
    return withoutMarks(text).replace(/\s+/g, ' ')
  }

  const createInvoice = (amountZat: bigint): Promise<Invoice> =>
    harness.service.invoices.create(account, { amountZat, expiresInSecs: 900, idempotencyKey: undefined })

  const read = (invoice: Invoice) => harness.service.invoices.read(invoice.publicId)

  test('overview, lists, invoice page and an email report it until the payment is mined again', async () => {
    const invoice = await createInvoice(12_500_000n)
    const { address, publicId } = invoice
    harness.sandbox.wallet.pay({ uri: `zcash:${address}?amount=0.125` })
    harness.sandbox.chain.mine(3)
    await until('the invoice to be paid', async () => (await read(invoice)).status === 'paid')
    assert.doesNotMatch(await page('/overview'), /reorganisation/)
    assert.doesNotMatch(await page(`/invoices/${publicId}`), /reorganisation/)

    harness.sandbox.chain.reorg({ depth: 3 })
    await until('the reorganisation', async () => (await read(invoice)).needsAttention)

    const overview = await page('/overview')
    assert.match(
      overview,
      /<b>Payments of 1 paid invoice are missing:<\/b> <span>a reorganisation of the Zcash chain removed them\. Hold/,
    )
    assert.ok(overview.includes(`href="/invoices/${publicId}"`))
    assert.doesNotMatch(overview, / more<\/a>/)

    const detail = await page(`/invoices/${publicId}`)
    assert.match(detail, /Payments of this invoice are missing since <time[^>]*>[^<]*<\/time>: a reorganisation/)
    assert.match(detail, /Payments were removed since, and less than the amount is left\./)
    assert.match(detail, /0\.125 ZEC of 0\.125 ZEC is missing\. The invoice stays <b>paid<\/b>/)
    assert.match(detail, /Hold the goods if you still can/)
    assert.match(detail, /They can be mined up to block [\d,]+, about \d+ (seconds|minutes|hours) from now/)
    assert.match(detail, /unmined|in the mempool/)

    for (const list of ['/invoices', '/invoices?status=attention', `/invoices?q=${publicId.slice(0, 8)}`])
      assert.match(await page(list), /<span class="badge badge-bad">Payment missing<\/span>/, list)
    await createInvoice(1n)
    assert.equal((await page('/invoices?status=attention')).match(/aria-label="Invoice /g)?.length, 1)

    const mails = () => harness.sandbox.mailbox.mails(EMAIL).filter(mail => /are missing/.test(mail.subject))
    assert.equal(mails().length, 0)
    clock.advance(120)
    await until('the mail', () => mails().length === 1)
    assert.ok(mails()[0]?.text.includes(`${harness.url}/invoices/${publicId}`))

    harness.sandbox.chain.mine(1)
    await until('the payment to be mined again', async () => !(await read(invoice)).needsAttention)
    assert.doesNotMatch(await page('/overview'), /reorganisation/)
    assert.doesNotMatch(await page(`/invoices/${publicId}`), /reorganisation/)
    assert.doesNotMatch(await page('/invoices'), /Payment missing<\/span>/)
  })

  describe('in a browser', { skip: noBrowser() }, () => {
    const { openPage } = useBrowser()

    test('an open invoice page shows the notice until the payment is mined again', async () => {
      const invoice = await createInvoice(2_000_000n)
      harness.sandbox.wallet.pay({ uri: `zcash:${invoice.address}?amount=0.02` })
      harness.sandbox.chain.mine(3)
      await until('the invoice to be paid', async () => (await read(invoice)).status === 'paid')
      harness.sandbox.chain.reorg({ depth: 3 })
      await until('the reorganisation', async () => (await read(invoice)).needsAttention)

      const open = await openPage({ viewport: { width: 360, height: 800 }, extraHTTPHeaders: { cookie } })
      await open.goto(`${harness.url}/invoices/${invoice.publicId}`)
      const warning = open.getByRole('heading', { name: 'Payments are missing' })
      await warning.waitFor()
      await inspect(open)
      harness.sandbox.chain.mine(1)
      await warning.waitFor({ state: 'detached' })
    })
  })

  test('the overview lists ten invoices and links to the others', async () => {
    const invoices: Invoice[] = []
    for (let i = 0; i < 12; i++) invoices.push(await createInvoice(BigInt(i + 1) * 1_000_000n))
    const paid = { status: 'paid', paidAt: 1_800_000_000, needsAttention: true, attentionSince: null } as const
    await harness.service.store.write(tx =>
      tx.invoices.updateStates(invoices.map(invoice => ({ ...invoice, ...paid }))),
    )
    const [attention = ''] = (await page('/overview')).match(/<section class="card attention".*?<\/section>/) ?? []
    assert.match(attention, /<b>Payments of 12 paid invoices are missing:<\/b>/)
    assert.equal(attention.match(/href="\/invoices\/[0-9a-f-]{36}"/g)?.length, 10)
    assert.match(attention, /<a href="\/invoices\?status=attention">and 2 more<\/a>/)
    const listed = await page('/invoices?status=attention')
    for (const { publicId } of invoices) assert.ok(listed.includes(publicId))
    const untimed = await page(`/invoices/${invoices[0]?.publicId}`)
    assert.match(untimed, /Payments of this invoice are missing: a reorganisation/)
    assert.match(untimed, /They can no longer be mined: ask the buyer to pay 0\.01 ZEC again/)
  })
})
