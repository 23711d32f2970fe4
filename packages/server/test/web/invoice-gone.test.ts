import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { fastClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { createInvoice, noBrowser, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const DAY = 86_400

describe('a buyer who opens a page of an invoice that was closed long ago', { skip: noBrowser() }, () => {
  const { openPage } = useBrowser()
  let harness: SandboxService
  let invoice: Invoice

  before(async () => {
    const clock = fastClock()
    harness = await startSandboxService({ clock })
    invoice = await createInvoice(harness)
    clock.advance(3_601)
    const status = async () => (await harness.service.invoices.read(invoice.publicId)).status
    await until('the invoice to expire', async () => (await status()) === 'expired')
    clock.advance(38 * DAY)
  })
  after(() => harness.close())

  test('reads on each of them that it is gone, and gets no data and no way to the dashboard', async () => {
    for (const path of ['', '/embed', '/swap', '/embed/swap']) {
      const response = await fetch(`${harness.url}/i/${invoice.publicId}${path}`, { headers: { accept: 'text/html' } })
      const page = await response.text()
      assert.equal(response.status, 410, path)
      assert.match(page, /This page is no longer available/, path)
      assert.doesNotMatch(page, /uregtest1|ZEC|dashboard/, path)
      assert.equal(response.headers.has('x-frame-options'), !path.startsWith('/embed'), path)
    }
  })

  test('finds the shop there, in the language of the invoice or their own, and whom to ask', async () => {
    const { accounts, storeProfiles } = harness.service
    const account = await accounts.findByEmail('shop@example.org')
    await storeProfiles.change(account, { name: 'Lighthouse', support: 'help@shop.example' }, harness.url)
    const response = await fetch(`${harness.url}/i/${invoice.publicId}?lang=de`, { headers: { accept: 'text/html' } })
    const page = await response.text()
    assert.equal(response.status, 410)
    assert.match(page, /Lighthouse/)
    assert.match(page, /mailto:help@shop\.example[^>]*>Hilfe vom Shop/)
  })

  test('has no barrier there, in both themes and widths', async () => {
    const page = await openPage()
    await page.goto(`${harness.url}/i/${invoice.publicId}`)
    await page.getByRole('heading', { name: 'This page is no longer available' }).waitFor()
    await inspect(page)
  })
})
