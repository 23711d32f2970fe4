import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { EventType } from '../../src/domain/notify/event.ts'
import { type SandboxService, startSandboxService } from '../harness/service.ts'
import { openVisitor } from './visitor.ts'

describe('the pages of events', () => {
  let harness: SandboxService

  before(async () => {
    harness = await startSandboxService()
  })
  after(() => harness?.close())

  async function raise(email: string, type: EventType, body: string): Promise<void> {
    const { id: accountId } = await harness.service.accounts.findByEmail(email)
    const event = { accountId, invoiceId: null, type, body, createdAt: 1_700_000_000 } as const
    await harness.service.store.write(tx => harness.service.outbox.append(tx, [event]))
  }

  const signedIn = async (email: string) => (await openVisitor(harness, email)).visitor
  const numbers = (text: string) => [...text.matchAll(/<tr id="event-(\d+)">/g)].map(([, seq]) => Number(seq))
  const linkTo = (text: string, name: string) => new RegExp(`href="([^"]+)"[^>]*>${name}<`).exec(text)?.[1]

  test('list all of an account, newest first, in pages in both directions, and those of one type', async () => {
    const shop = await signedIn('events@example.org')
    for (let n = 1; n <= 60; n++) await raise('events@example.org', n % 10 === 0 ? 'swap.failed' : 'plan.updated', '{}')
    const first = (await shop.request('GET /events')).text
    assert.deepEqual([numbers(first)[0], numbers(first).length, linkTo(first, 'Newer')], [60, 25, undefined])
    const second = (await shop.request(`GET ${linkTo(first, 'Older')}`)).text
    assert.deepEqual([numbers(second)[0], numbers(second).length], [35, 25])
    const last = (await shop.request(`GET ${linkTo(second, 'Older')}`)).text
    assert.deepEqual([numbers(last)[0], numbers(last).length, linkTo(last, 'Older')], [10, 10, undefined])
    assert.deepEqual(numbers((await shop.request(`GET ${linkTo(last, 'Newer')}`)).text), numbers(second))
    assert.deepEqual(numbers((await shop.request('GET /events?type=swap.failed')).text), [60, 50, 40, 30, 20, 10])
    assert.deepEqual(numbers((await shop.request('GET /events?type=nonsense&before=nonsense')).text), numbers(first))
  })

  test('show the body of an event and where it was sent, of the own account only', async () => {
    const [one, two] = [await signedIn('one@example.org'), await signedIn('two@example.org')]
    await raise('one@example.org', 'plan.updated', '{"of":"one"}')
    assert.equal((await two.request('GET /events/1')).status, 404)
    await raise('two@example.org', 'plan.updated', '{"of":"<two>"}')
    const shown = await two.request('GET /events/1')
    assert.equal(shown.status, 200)
    assert.match(shown.text, /\{&quot;of&quot;:&quot;&lt;two&gt;&quot;\}/)
    assert.doesNotMatch(shown.text, /of&quot;:&quot;one/)
    assert.match(shown.text, /Not sent to any endpoint so far/)
    assert.match((await one.request('GET /events/1')).text, /of&quot;:&quot;one/)
    for (const path of ['/events/2', '/events/x', '/events/1x', '/events/-1'])
      assert.equal((await one.request(`GET ${path}`)).status, 404, path)
  })

  test('name each receiver of an event once, with the state of its newest delivery', async () => {
    const email = 'receivers@example.org'
    const shop = await signedIn(email)
    const account = await harness.service.accounts.findByEmail(email)
    await harness.service.webhooks.set(account, harness.sandbox.webhookReceiver.url)
    const deliveryId = await harness.service.webhooks.test(account)
    const { store } = harness.service
    const delivery = await store.read(tx => tx.deliveries.byPublicId(account.id, deliveryId))
    assert.ok(delivery)
    const states = () => store.read(tx => tx.deliveries.newestOfEvents(account.id, [delivery.eventSeq, 999]))
    assert.deepEqual(
      (await states()).map(({ eventSeq, endpointUrl }) => [eventSeq, endpointUrl]),
      [[delivery.eventSeq, null]],
    )
    const list = (await shop.request('GET /events')).text
    assert.match(list, /<bdi>webhook<\/bdi><\/span> <span class="badge badge-\w+">\w+</)
    const page = (await shop.request(`GET /events/${delivery.eventSeq}`)).text
    assert.match(page, new RegExp(`id="delivery-${deliveryId}"`))
  })
})
