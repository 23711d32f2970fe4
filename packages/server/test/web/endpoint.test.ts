import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noBrowser, signInOnPage, useBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

const THREE_DAYS_SECS = 3 * 86_400

/** Raises an event of the account `shop@example.org`. */
async function raise({ service }: SandboxService, n: number): Promise<void> {
  const { id: accountId } = await service.accounts.findByEmail('shop@example.org')
  const createdAt = Math.floor(Date.now() / 1000)
  const event = { accountId, invoiceId: null, type: 'plan.updated', body: `{"n":${n}}`, createdAt } as const
  await service.store.write(tx => service.outbox.append(tx, [event]))
}

/** Lets an endpoint that fails have failed for three days: its next attempt, which is due now, pauses it. */
async function failForDays({ service }: SandboxService, id: string): Promise<void> {
  const nowMs = Date.now()
  await service.store.write(async tx => {
    const endpoint = await tx.endpoints.lockByPublicId(id)
    assert.ok(endpoint)
    const failingSince = Math.floor(nowMs / 1000) - THREE_DAYS_SECS
    await tx.endpoints.advance(endpoint.id, { ...endpoint, failingSince, failures: 70, retryAtMs: nowMs }, nowMs)
    tx.notify('events')
  })
}

describe('endpoints', { skip: noBrowser(), timeout: 240_000 }, () => {
  const browser = useBrowser()

  test('a merchant adds an endpoint, tests it, sees it fail and be paused, and resumes it with what it missed', async t => {
    const harness = await startSandboxService()
    t.after(() => harness.close())
    const { webhookReceiver } = harness.sandbox
    const page = await browser.openPage({ viewport: { width: 1280, height: 800 } })
    await signInOnPage(page, harness, 'shop@example.org')
    const account = await harness.service.accounts.findByEmail('shop@example.org')
    const wide = () => page.setViewportSize({ width: 1280, height: 800 })
    const log = page.locator('#attempts')
    const events = () =>
      webhookReceiver.deliveries.map(({ body }) => JSON.parse(body.toString()).n as number | undefined)

    await page.goto(`${harness.url}/webhook`)
    await page.getByRole('link', { name: 'Add an endpoint' }).click()
    await inspect(page)
    await wide()
    await page.getByRole('textbox', { name: 'URL' }).fill(`${webhookReceiver.url}books`)
    await page.getByRole('radio', { name: /Persistent/ }).check()
    await page.getByRole('checkbox', { name: /An invoice was created/ }).uncheck()
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    assert.match((await page.locator('.once code').textContent()) ?? '', /^whsec_/)
    await inspect(page)
    await wide()
    const [{ publicId, schedule, types } = assert.fail()] = await harness.service.endpoints.list(account)
    assert.equal(schedule, 'persistent')
    assert.equal(types?.includes('invoice.created'), false)
    assert.ok(types?.includes('refund.updated') && types.includes('plan.updated'))

    await page.goto(`${harness.url}/webhook/endpoints/${publicId}`)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('Test event queued').waitFor()
    await log.getByText('delivered').waitFor()
    await log.locator('summary').click()
    await log.getByText('200').waitFor()
    await inspect(page)
    await wide()

    webhookReceiver.script([{ kind: 'status', status: 503, body: `down ${'x'.repeat(3_000)}` }], '/books')
    await raise(harness, 1)
    await page.reload()
    await until('the endpoint fails', async () => {
      await page.reload()
      return (await page.getByRole('heading', { name: 'Failing' }).count()) > 0
    })
    await page.getByText('The last error: answered 503.').waitFor()
    await log.getByText(/next attempt at/).waitFor()
    await inspect(page)
    await wide()
    await log.locator('summary').first().click()
    await log.getByRole('link', { name: 'Attempt 1' }).first().click()
    await page.getByText('webhook-signature: v1,').waitFor()
    await page.getByText(/"event_id":"[-0-9a-f]{36}","seq":\d+\}/).waitFor()
    await page.getByText('only the first 2,048 bytes').waitFor()
    await inspect(page)
    await wide()

    await failForDays(harness, publicId)
    await until(
      'the endpoint is paused',
      async () => (await harness.service.endpoints.read(account, publicId)).pausedAt !== null,
    )
    await raise(harness, 2)
    await page.goto(`${harness.url}/webhook`)
    await page.getByText('paused', { exact: true }).filter({ visible: true }).waitFor()
    await inspect(page)
    await wide()
    await page.goto(`${harness.url}/overview`)
    await page.getByText('is paused since').waitFor()
    await inspect(page)
    await wide()
    await page.getByRole('link', { name: /^Resume/ }).click()
    await page.getByRole('heading', { name: 'Paused' }).waitFor()
    await inspect(page)
    await wide()

    webhookReceiver.script([{ kind: 'status', status: 204 }], '/books')
    const before = events().length
    assert.ok(await page.getByLabel('Also send the events that it has missed').isChecked())
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('The events that it has missed are sent first').waitFor()
    await webhookReceiver.waitFor(before + 2)
    assert.deepEqual(events().slice(before), [1, 2])
    await page.locator('#state').getByText('active').waitFor()
    await inspect(page)
    await wide()

    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('heading', { name: 'Disabled' }).waitFor()
    await inspect(page)
    await wide()
    await page.getByRole('button', { name: 'Remove endpoint' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove endpoint' }).click()
    await page.getByText('Endpoint removed.').waitFor()
    assert.deepEqual(await harness.service.endpoints.list(account), [])
    await page.getByLabel('Type').selectOption('plan.updated')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'All deliveries' }).waitFor()
    assert.equal(await log.locator('li').count(), 3)
    assert.equal(await log.getByRole('button', { name: /^Resend/ }).count(), 0)
  })
})
