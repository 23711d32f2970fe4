import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CreatedInvoice, Invoice } from '@zatgate/sdk'
import { ZatgateClient } from '@zatgate/sdk'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { decodeMemo } from '@zatgate/zcash/memo'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { parsePaymentUri } from '@zatgate/zcash/zip321'
import { missingProgram } from '../harness/programs.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'
import { testViewingKey } from '../harness/viewing-key.ts'
import { Guide, openSandboxShell, runModule } from './guide.ts'

const GUIDE = new Guide('docs/refunds.md')
const SETUP = new Guide('docs/first-invoice.md').block('sh setup')
const AMOUNT = 2_500_000
/** Clock speed: an invoice of a minute expires in six seconds. */
const SPEED = 10

const { orchard } = parseViewingKey(testViewingKey(3))
const receiver = orchard === undefined ? assert.fail() : orchardReceiver(orchard, 1n)
const REFUND_ADDRESS = encodeAddress('regtest', receiver)

const skip = missingProgram('bash') || missingProgram('curl')

describe('the guide to refunds', { skip }, () => {
  let service: TestService
  let client: ZatgateClient
  before(async () => {
    const clock = new SkewedClock({ factor: SPEED })
    service = await startTestService({ clock, sandboxOptions: { clock } })
    client = new ZatgateClient({ baseUrl: service.url, apiKey: service.apiKey, sessionToken: service.sessionToken })
    await client.setWebhook(service.sandbox.webhookReceiver.url)
  })
  after(() => service?.close())

  const sell = (expires_in_secs = 900) => client.createInvoice({ amount_zat: AMOUNT, expires_in_secs })
  const pay = ({ zip321_uri: uri }: CreatedInvoice, amount = AMOUNT) =>
    service.sandbox.wallet.pay({ uri, amount: BigInt(amount) })

  function reaches(id: string, status: Invoice['status'], receivedZat: number): Promise<unknown> {
    return until(`${status} with ${receivedZat}`, async () => {
      const invoice = await client.getInvoice(id)
      return invoice.status === status && invoice.received_zat === receivedZat
    })
  }

  function eventsOf(id: string): string[] {
    const bodies = service.sandbox.webhookReceiver.deliveries.map(({ body }) => JSON.parse(body.toString()))
    return bodies.filter(body => body.invoice_id === id).map(body => body.type)
  }

  /** Runs the guide's module. @returns the requested payment, or the message of its error */
  async function refund(id: string, env: Record<string, string> = {}): Promise<string> {
    const all = { ZATGATE_URL: service.url, NETWORK: 'regtest', INVOICE_ID: id, REFUND_ADDRESS, ORDER: '1042', ...env }
    try {
      return (await runModule(GUIDE.block('js refund'), all)).trim()
    } catch (error) {
      return (
        /^(?:Error|ZcashError): (.*)$/m.exec((error as { stderr: string }).stderr)?.[1] ?? assert.fail(String(error))
      )
    }
  }

  test('an overpayment and a second payment: the difference is owed, without a further event, and can be found', async t => {
    const invoice = await sell()
    pay(invoice, AMOUNT + 30_000)
    await reaches(invoice.id, 'detected', AMOUNT + 30_000)
    assert.match(await refund(invoice.id), /^still detected: wait/)
    service.sandbox.chain.mine(3)
    await reaches(invoice.id, 'paid', AMOUNT + 30_000)
    await until('the event', () => eventsOf(invoice.id).length > 0)
    pay(invoice)
    await reaches(invoice.id, 'paid', 2 * AMOUNT + 30_000)

    const uri = await refund(invoice.id, { DELIVERED: 'yes' })
    const { address, amount, memo } = parsePaymentUri(uri)
    const padded = new Uint8Array(512)
    padded.set(memo ?? [])
    assert.deepEqual([address, amount], [REFUND_ADDRESS, BigInt(AMOUNT + 30_000)])
    assert.deepEqual(decodeMemo(padded), { kind: 'text', text: 'Refund of order 1042' })
    assert.match(service.sandbox.wallet.pay({ uri }).id, /^[0-9a-f]{64}$/)
    assert.deepEqual(eventsOf(invoice.id), ['invoice.paid'])

    const shell = openSandboxShell(t, service)
    await shell.run(SETUP)
    await shell.run(GUIDE.block('sh export'))
    const [header = '', row = ''] = (await shell.run('cat invoices.csv')).split('\n')
    assert.match(header, /^id,status,amount_zat,received_zat,overpaid_zat,.*amount_zec/)
    assert.ok(row.startsWith(`${invoice.id},paid,${AMOUNT},${2 * AMOUNT + 30_000},`))
    assert.equal((await shell.run(GUIDE.block('sh overpaid'))).trim(), `${invoice.id} ${AMOUNT + 30_000}`)
  })

  test('a part payment and a late payment: all of it is owed', async () => {
    const [partly, late] = [await sell(60), await sell(60)]
    pay(partly, 1_000_000)
    await reaches(partly.id, 'underpaid', 1_000_000)
    await reaches(late.id, 'expired', 0)
    assert.equal(await refund(late.id), 'nothing to refund')
    await until('the event', () => eventsOf(partly.id).includes('invoice.underpaid'))
    assert.equal(parsePaymentUri(await refund(partly.id)).amount, 1_000_000n)

    pay(late)
    await reaches(late.id, 'expired', AMOUNT)
    assert.equal(await refund(late.id), 'not confirmed: wait')
    service.sandbox.chain.mine(3)
    await reaches(late.id, 'paid', AMOUNT)
    await until('the event', () => eventsOf(late.id).includes('invoice.paid'))
    assert.equal(parsePaymentUri(await refund(late.id)).amount, BigInt(AMOUNT))
    assert.equal(await refund(late.id, { DELIVERED: 'yes' }), 'nothing to refund')
  })

  test('an address with a typing error, of another network or of another kind is refused', async () => {
    const invoice = await sell()
    pay(invoice)
    await reaches(invoice.id, 'detected', AMOUNT)
    service.sandbox.chain.mine(3)
    await reaches(invoice.id, 'paid', AMOUNT)
    const typo = REFUND_ADDRESS.replace(/.$/, last => (last === 'q' ? 'p' : 'q'))
    const main = encodeAddress('main', receiver)
    for (const address of [typo, main, testViewingKey(3), 't1SJABjX8rqgzqgrzLW5dUw7ikSDZ2snD8A', ''])
      assert.doesNotMatch(await refund(invoice.id, { REFUND_ADDRESS: address }), /^zcash:/, address)
  })
})

test('every block of the guide was run', { skip }, () => GUIDE.assertAllUsed())
