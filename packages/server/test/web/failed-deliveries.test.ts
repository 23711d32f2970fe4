import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertFailed } from '../harness/failed-delivery.ts'
import { startSandboxService } from '../harness/service.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

describe('webhook events that have failed for good', { skip: noBrowser() }, () => {
  const browser = useBrowser()

  test('are named on the overview and the webhook page, listed by a filter, and sent again with one button', async t => {
    const harness = await startSandboxService()
    t.after(() => harness.close())
    const { accounts, store, webhooks } = harness.service
    const page = await browser.openPage({ viewport: { width: 1280, height: 800 } })
    await signInOnPage(page, harness, 'shop@example.org')
    const account = await accounts.findByEmail('shop@example.org')
    await webhooks.set(account, harness.sandbox.webhookReceiver.url)
    await insertFailed(store, account.id, ['{"n":1}', '{"n":2}'])
    await webhooks.test(account)
    await harness.sandbox.webhookReceiver.waitFor(1)

    await page.goto(`${harness.url}/overview`)
    await page.getByText('2 webhook events could not be delivered.').waitFor()
    await page.getByRole('link', { name: 'View and resend' }).click()
    await page.getByRole('heading', { name: 'Failed deliveries' }).waitFor()
    assert.equal(await page.locator('#attempts li').count(), 2)
    await inspect(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    assert.equal(await page.locator('#attempts li').count(), 3)

    await page.getByRole('button', { name: 'Resend all failed' }).click()
    await page.getByText('The failed events are queued again').waitFor()
    const received = await harness.sandbox.webhookReceiver.waitFor(3)
    assert.deepEqual(
      received.slice(1).map(({ body }) => body.toString()),
      ['{"n":1}', '{"n":2}'],
    )
    await page.locator('#attempts').getByText('delivered').filter({ visible: true }).nth(2).waitFor()
    assert.equal(await page.locator('#attempts').getByText('sent again').filter({ visible: true }).count(), 2)
    assert.equal(await page.getByRole('button', { name: 'Resend all failed' }).count(), 0)
    await inspect(page)
    await page.locator('#attempts summary').last().click()
    await page.locator('#attempts').getByRole('link', { name: 'Attempt 4' }).last().click()
    await page.getByText('answered 503').first().waitFor()
    await inspect(page)
  })
})
