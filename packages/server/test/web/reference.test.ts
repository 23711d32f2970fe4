import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { verifyWebhook } from '@zatgate/sdk'
import type { Browser, Page } from 'playwright-core'
import { type EventType, isWebhookEvent } from '../../src/domain/notify/event.ts'
import { EXAMPLE_SECRET } from '../../src/http/openapi/examples.ts'
import { call } from '../harness/http-call.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { noBrowser, openBrowser } from './browser.ts'
import { inspect } from './inspect.ts'

interface HeaderParameter {
  readonly name: string
  readonly description: string
  readonly example: string
}

/** The text of HTML. */
function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

describe('the reference of the API', () => {
  let harness: TestService

  before(async () => {
    harness = await startTestService()
  })
  after(() => harness?.close())

  test('it has every operation, event, field and error of the document, without a script', async () => {
    const { body: document } = await call(harness, 'GET /openapi.json')
    const { text, status } = await call(harness, 'GET /docs')
    assert.equal(status, 200)
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(methods =>
      Object.values(methods as Record<string, { operationId: string; responses: Record<string, unknown> }>),
    )
    assert.ok(operations.length > 35)
    for (const { operationId } of operations) assert.ok(text.includes(`id="${operationId}"`), operationId)
    const fields = JSON.stringify(document.components.schemas).matchAll(/"properties":\{"(\w+)"/g)
    for (const [, field] of fields) assert.match(text, new RegExp(`<code>[\\w.[\\]]*${field}</code>`))
    const codes = JSON.stringify(document.paths).matchAll(/"code":"(\w+)"/g)
    for (const [, code] of codes) assert.ok(text.includes(`<code>${code}</code>`), code)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(ids, [...new Set(ids)], 'every id is on the page once')
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(text.includes(`id="${target}"`), target)
  })

  test('the events have the headers of the signature, and those of the webhook an example that verifies', async () => {
    const { body: document } = await call(harness, 'GET /openapi.json')
    const { text } = await call(harness, 'GET /docs')
    const events = text.slice(text.indexOf('id="events"'))
    for (const [type, { post }] of Object.entries<{ post: { operationId: string; parameters: HeaderParameter[] } }>(
      document.webhooks,
    )) {
      const section = plain(events.slice(events.indexOf(`id="${post.operationId}"`)).split('</section>')[0] ?? '')
      assert.ok(post.parameters.length >= 4)
      for (const { name, description, example } of post.parameters) {
        assert.ok(plain(events).includes(description.replaceAll('`', '')), name)
        const isShown = section.includes(`${name}: ${example}`)
        assert.equal(isShown, isWebhookEvent(type as EventType), `${post.operationId} ${name}`)
      }
      const value = (name: string) => new RegExp(`${name}: (.*)`).exec(section)?.[1] ?? ''
      const body = JSON.stringify(JSON.parse(/\{.*\}/s.exec(section.slice(section.indexOf('Example')))?.[0] ?? ''))
      if (!isWebhookEvent(type as EventType)) {
        assert.equal(JSON.parse(body).type, type)
        continue
      }
      const event = await verifyWebhook(
        body,
        Object.fromEntries(post.parameters.map(({ name }) => [name, value(name)])),
        EXAMPLE_SECRET,
        { nowMs: Number(value('webhook-timestamp')) * 1000 },
      )
      assert.equal(JSON.stringify(event), body)
    }
  })

  test('the steps of the events verify the example by hand', async () => {
    const { text } = await call(harness, 'GET /docs')
    const events = plain(text.slice(text.indexOf('id="events"')))
    for (const said of ['raw bytes', 'constant time', 'five minutes', 'within 5 seconds', '10, 60 and 300 seconds'])
      assert.ok(events.includes(said), said)
    const section = plain((text.split('id="onInvoicePaid"')[1] ?? '').split('</section>')[0] ?? '')
    const example = section.slice(section.indexOf('X-Service-Signature: '))
    const value = (name: string) => new RegExp(`${name}: (.*)`).exec(example)?.[1] ?? ''
    const body = JSON.stringify(JSON.parse(/\{.*\}/s.exec(example)?.[0] ?? ''))
    const key = Buffer.from(EXAMPLE_SECRET.replace('whsec_', ''), 'base64')
    const signed = `${value('webhook-id')}.${value('webhook-timestamp')}.${body}`
    assert.equal(value('webhook-signature'), `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    assert.equal(value('X-Service-Signature'), createHmac('sha256', EXAMPLE_SECRET).update(body).digest('hex'))
  })

  describe('in a real browser', { skip: noBrowser(), timeout: 120_000 }, () => {
    let browser: Browser
    let page: Page
    const refused: string[] = []

    before(async () => {
      browser = await openBrowser()
      page = await (await browser.newContext()).newPage()
      page.on('console', message => message.type() === 'error' && refused.push(message.text()))
      await page.goto(`${harness.url}/docs`)
    })
    after(() => browser?.close())

    test('a request is tried with an own key, which serves all forms and is stored nowhere', async () => {
      const form = await open('Create an invoice')
      await form.getByLabel('API key').fill(harness.apiKey)
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByRole('status').getByText(/^200/).waitFor()
      const { id } = JSON.parse((await form.locator('pre').textContent()) ?? '')
      const read = await open('Read an invoice')
      await read.getByLabel('id').fill(id)
      await read.getByRole('button', { name: 'Send' }).click()
      await read.getByText('"status": "pending"').waitFor()

      const account = await open('Read the account')
      await account.getByLabel('Session token').fill(harness.sessionToken)
      await account.getByRole('button', { name: 'Send' }).click()
      await account.getByText('"viewing_key_set": true').waitFor()
      assert.equal(
        await (await open('List the API keys, newest first')).getByLabel('Session token').inputValue(),
        harness.sessionToken,
      )
      assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length]'), [0, 0])
      assert.deepEqual(refused, [], 'the content policy refuses nothing')
    })

    test('an error of the service is shown as it is', async () => {
      const form = await open('Create an invoice')
      await form.getByLabel('Body').fill('{"amount_zat": 0}')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByText('"invalid_amount_zat"').waitFor()
    })

    test('it is accessible, light and dark, and does not scroll sideways', () => inspect(page))

    /** Opens the form of an operation. */
    async function open(summary: string) {
      const section = page.getByRole('region', { name: summary, exact: true })
      const details = section.locator('details.try-it')
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
      return section.getByRole('form')
    }
  })
})
