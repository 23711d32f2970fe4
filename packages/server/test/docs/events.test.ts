import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { verifyWebhook } from '@zatgate/sdk'
import { EVENT_TYPES, isWebhookEvent } from '../../src/domain/notify/event.ts'
import { ROOT } from '../harness/guide.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { COMMAND } from '../harness/service-process.ts'
import { until } from '../harness/until.ts'
import { assertShown, Guide, openSandboxShell } from './guide.ts'

const GUIDE = new Guide('docs/events.md')

const skip = missingProgram('bash') || missingProgram('curl')

describe('the guide to events', { skip }, () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service?.close())

  test('its commands trigger a payment, and the feed, the SDK and listen show it', async t => {
    const shell = openSandboxShell(t, service)
    // The data of the service, for the settings of the commands.
    await shell.run(GUIDE.block('sh key'))
    const { EVENTS_KEY } = await shell.environment()
    const { webhookReceiver } = service.sandbox

    const [, ...args] = GUIDE.block('sh listen').trim().split(' ').slice(1)
    const target = webhookReceiver.url
    const listenArgs = args.map(word => word.replace('http://localhost:3001/webhook', target))
    const listening = startProgram(t, [process.execPath, COMMAND, ...listenArgs], {
      env: {},
      cwd: shell.folder,
    })
    await until(`the start of listen: ${listening.output()}`, () => listening.output().includes('forwards new events'))

    const file = join(shell.folder, 'last-event')
    writeFileSync(file, '0')
    const env = { ZATGATE_URL: service.url, EVENTS_KEY, LAST_EVENT_FILE: file }
    const program = [process.execPath, '--input-type=module', '--eval', GUIDE.block('js follow')]
    const following = startProgram(t, program, { env, cwd: ROOT })

    const triggered = (await shell.run(GUIDE.block('sh trigger'))).trim().split('\n')
    const printed = JSON.parse(triggered.at(-1) ?? '')
    const { invoice_id: id } = printed.body
    await until('the event in the SDK', () => following.output().includes(`paid ${id}`))
    await until('its number', () => readFileSync(file, 'utf8') === String(printed.seq))
    await until('the event in listen', () => listening.output().includes(`invoice.paid  ${id.slice(0, 8)}  200`))

    const [, secret = ''] = /signing secret: (\S+)/.exec(listening.output()) ?? []
    const { body, headers } = webhookReceiver.deliveries.at(-1)!
    assert.equal((await verifyWebhook(body, headers, secret)).type, 'invoice.paid')
    const feed = await shell.json(GUIDE.block('sh feed'))
    assert.deepEqual(
      feed.map(({ type }: { type: string }) => type),
      ['invoice.created', 'invoice.paid'],
    )
    assert.deepEqual(feed[1], printed)
    const [shown] = JSON.parse(GUIDE.block('json events'))
    assertShown(JSON.stringify({ ...shown, seq: feed[0].seq }), feed[0])
  })
})

test('the guide lists every type, and says which of them the webhook gets', () => {
  assert.deepEqual(GUIDE.rows('Types').sort(), [...EVENT_TYPES].sort())
  for (const type of EVENT_TYPES)
    assert.match(GUIDE.text, new RegExp(`^\\| \`${type}\` \\|.*\\| ${isWebhookEvent(type) ? 'yes' : 'no'} \\|$`, 'm'))
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
