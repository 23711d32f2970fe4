import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

describe('plans and withdrawals in a real browser', { skip: noBrowser(), timeout: 180_000 }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  let accounts = 0

  before(async () => {
    harness = await startSandboxService({ env: { WITHDRAWAL_SPREAD_BPS: '100' } })
    harness.sandbox.rates.setPrice('ZECUSD', '1419.06000')
    harness.sandbox.rates.setPrice('ZECEUR', '1222.31000')
  })
  after(() => harness?.close())

  /** A signed-in page of a new account. */
  async function signIn(options?: BrowserContextOptions): Promise<{ page: Page; email: string }> {
    accounts += 1
    const email = `merchant${accounts}@example.org`
    const page = await openPage(options)
    await signInOnPage(page, harness, email)
    return { page, email }
  }

  async function order(page: Page, amount: string): Promise<void> {
    await page.goto(`${harness.url}/withdrawals`)
    await page.getByLabel('Amount in ZEC').fill(amount)
    await page.getByLabel('Payout currency').selectOption('EUR')
    await page.getByLabel('Payout destination').fill('DE89370400440532013000')
    await page.getByRole('button', { name: 'Create payout' }).click()
  }

  test('a plan that allows less than the present one is bought only when asked twice', async () => {
    const { page, email } = await signIn()
    await harness.service.accounts.setPlan(email, 'Business', 4_000_000_000)
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('button', { name: 'Buy Pro' }).click()
    const question = page.getByRole('alert')
    await question.getByText('Pro allows 1,000 invoices a month.').waitFor()
    await inspect(page)
    await question.getByRole('link', { name: 'Keep Business' }).click()
    await page.getByText('No purchases yet.').waitFor()
    await page.getByRole('button', { name: 'Buy Pro' }).click()
    await question.getByRole('button', { name: 'Buy Pro' }).click()
    await page.waitForURL('**/i/*')
  })

  test('without plans that limit or cost anything the page says so, and lists none', async () => {
    const unlimited = await startSandboxService({ env: { BILLING_VIEWING_KEY: '' } })
    try {
      const page = await openPage()
      await signInOnPage(page, unlimited, 'shop@example.org')
      await page.getByRole('link', { name: 'Billing' }).click()
      await page.getByText('This service has no monthly limit of invoices, and sells no plans.').waitFor()
      assert.equal(await page.getByRole('table').count(), 0)
      await inspect(page)
    } finally {
      await unlimited.close()
    }
  })

  test('a plan shows fiat prices, is paid like any invoice and then starts', async () => {
    const { page, email } = await signIn()
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText('about 141.90 USD', { exact: true }).waitFor()
    await inspect(page)
    await page.getByRole('button', { name: 'Buy Pro' }).click()
    await page.waitForURL('**/i/*')
    const uri = await page.getByRole('link', { name: 'Open in your wallet' }).getAttribute('href')
    harness.sandbox.wallet.pay({ uri: uri ?? '' })
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor()
    harness.sandbox.chain.mine(3)
    await page.getByRole('heading', { name: 'Paid' }).waitFor()
    await until('the plan', async () => (await harness.service.accounts.findByEmail(email)).plan === 'Pro')
    await page.goto(`${harness.url}/billing`)
    await page.getByRole('button', { name: 'Renew Pro' }).waitFor()
    await page.getByRole('cell', { name: 'Paid until' }).waitFor()
    await inspect(page)
  })

  test('a withdrawal shows its order, deposit and payout without reloading the page', async () => {
    const { page } = await signIn()
    await page.getByRole('link', { name: 'Payouts' }).click()
    await page.getByText('1 ZEC is now 1,419.06 USD or 1,222.31 EUR. A spread of 1 % is deducted.').waitFor()
    await inspect(page)
    await order(page, '1.5')
    await page.waitForURL('**/withdrawals/*-*')
    await page.getByText('1,815.13 EUR').first().waitFor()
    await page.getByRole('img', { name: 'Payment request as a QR code' }).waitFor()
    await page.getByText('DE••••3000').waitFor()
    await inspect(page)
    await page.getByRole('button', { name: 'Make the deposit' }).click()
    await page.getByText('Deposit detected', { exact: true }).first().waitFor()
    harness.sandbox.chain.mine(3)
    await page.getByText('Payout processing', { exact: true }).first().waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    await harness.service.payouts.markPaidOut(id, 'SEPA 4711')
    await page.goto(`${harness.url}/withdrawals`)
    await page.getByText('Completed', { exact: true }).filter({ visible: true }).waitFor()
    await inspect(page)
    const link = page.getByRole('link', { name: `Payout ${id}` })
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByText('Completed', { exact: true }).filter({ visible: true }).waitFor()
    const [maxHeight, height] = [30, (await link.boundingBox())?.height ?? 0]
    assert.ok(height > 0 && height < maxHeight, `the withdrawal id is ${height} px high at 360 px`)
    await link.click()
    await page.getByText('SEPA 4711').waitFor()
    await inspect(page)
  })

  test('without JavaScript, errors show in the form, input is kept and a withdrawal can be canceled', async () => {
    const { page } = await signIn({ javaScriptEnabled: false })
    await order(page, '0.00000001')
    await page.getByRole('alert').getByText('Invalid amount: ').waitFor()
    assert.equal(await page.getByLabel('Payout destination').inputValue(), 'DE89370400440532013000')
    assert.equal(await page.getByLabel('Payout currency').inputValue(), 'EUR')
    await order(page, '1')
    await page.getByRole('button', { name: 'Cancel payout' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel payout' }).click()
    await page.getByText('Canceled', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel payout' }).count(), 0)
  })

  test('without a rate source, pages still load but show no fiat amounts', async t => {
    const unreachable = await startSandboxService({
      env: { RATES_SOURCES: 'kraken=http://127.0.0.1:1,gemini=http://127.0.0.1:1' },
    })
    t.after(() => unreachable.close())
    const { token } = await unreachable.service.sessions.create(
      await unreachable.service.accounts.findOrCreate('x@example.org'),
      'x',
    )
    for (const [path, expected] of [
      ['/billing', '0.1 ZEC'],
      ['/withdrawals', 'The exchange rate is unavailable.'],
    ] as const) {
      const response = await fetch(unreachable.url + path, { headers: { cookie: `__Host-zatgate=${token}` } })
      const text = await response.text()
      assert.equal(response.status, 200)
      assert.ok(text.includes(expected))
      assert.ok(!text.includes('about '))
    }
  })
})
