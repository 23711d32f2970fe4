import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { encodeAddress } from '@zatgate/zcash/address'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { Guide } from '../docs/guide.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { call } from '../harness/http-call.ts'
import { missingProgram } from '../harness/programs.ts'
import { startTestService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { until } from '../harness/until.ts'
import { noBrowser, openBrowser } from '../web/browser.ts'
import { installPackages, ROOT, snippetOf, supportedNodes } from './consumer.ts'

const MAX_SDK_BYTES = 8 * 1024
const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const BODY = JSON.stringify({ type: 'invoice.paid', invoice_id: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f' })
const SIGNATURE = createHmac('sha256', SECRET).update(BODY).digest('hex')

/** Verifies a delivery and a changed one, and reads a payment URI back. `load` imports or requires a module. */
const useBoth = (load: string) => `
  const use = async () => {
    const { verifyWebhook } = ${load}('@zatgate/sdk')
    const { formatPaymentUri, parsePaymentUri } = ${load}('@zatgate/zcash/zip321')
    const { encodeAddress } = ${load}('@zatgate/zcash/address')
    const verdict = (body, secret) =>
      verifyWebhook(body, { 'x-service-signature': '${SIGNATURE}' }, secret, { scheme: 'service' }).then(event => event.type, error => error.code)
    const address = encodeAddress('test', new Uint8Array(43).fill(9))
    const uri = formatPaymentUri({ address, amount: 15000000n })
    return [
      await verdict('${BODY}', '${SECRET}'),
      await verdict('${BODY} ', '${SECRET}'),
      parsePaymentUri(uri).address === address,
      uri.slice(-12),
    ].join()
  }
`
const USED = 'invoice.paid,bad_signature,true,?amount=0.15'
const IMPORTED = `${useBoth('await import')}\nconsole.log(await use())`
const REQUIRED = `${useBoth('require')}\nuse().then(console.log)`

const consumer = await installPackages()
const at = await startTestService({ clock: systemClock })
after(async () => {
  await at?.close()
  consumer?.remove()
})

const serviceEnv = () => ({ ZATGATE_URL: at.url, ZATGATE_API_KEY: at.apiKey })

test('the tarballs hold code, declarations, sources, README and licence, and every map finds its source', () => {
  for (const [name, files] of Object.entries(consumer.packed)) {
    const other = files.filter(file => !/^(esm|cjs|src)\//.test(file)).sort()
    const wasm = name === 'zcash' ? ['kernel/kernel.wasm'] : []
    assert.deepEqual(other, ['LICENSE', 'README.md', ...wasm, 'package.json'])
    for (const map of files.filter(file => /\.d\.c?ts\.map$/.test(file))) {
      const { sources } = JSON.parse(readFileSync(join(installed(name), map), 'utf8'))
      for (const source of sources) assert.ok(files.includes(join(map, '..', source)), `${map}: ${source}`)
    }
  }
})

test('the README of the SDK installs it from the checkout, as pasted', { skip: missingProgram('bash') }, async t => {
  const folder = temporaryFolder(stackOf(t))
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const shell = openShell(t, { folder: ROOT, env: { HOME: folder }, replace: { '../shop': folder } })
  await shell.run(new Guide('packages/sdk/README.md').block('sh install'))
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  assert.match(dependencies['@zatgate/sdk'], /^file:zatgate-sdk-.*\.tgz$/)
  assert.equal((await shell.run(`node -p "typeof require('@zatgate/sdk').verifyWebhook"`)).trim(), 'function')
})

test('npm would publish them, and publint finds nothing', async () => {
  for (const name of Object.keys(consumer.packed)) {
    const { messages } = await publint({ pkgDir: installed(name), strict: true })
    assert.deepEqual(messages, [])
    const dist = join(ROOT, 'packages', name, 'dist')
    const { stdout } = await promisify(execFile)('npm', ['publish', '--dry-run', '--json'], { cwd: dist })
    assert.equal(JSON.parse(stdout)[`@zatgate/${name}`]?.name ?? JSON.parse(stdout).name, `@zatgate/${name}`)
  }
})

for (const { name, binary } of supportedNodes()) {
  suite(`on ${name}`, () => {
    test('both packages can be imported and required', async () => {
      assert.equal((await consumer.run(binary, 'mjs', IMPORTED)).trim(), USED)
      assert.equal((await consumer.run(binary, 'cjs', REQUIRED)).trim(), USED)
    })

    test("the SDK's examples take a payment, and show an error", async () => {
      let output = ''
      const onOutput = (text: string) => {
        const isPaid = output.includes('\n')
        output += text
        const uri = /^(zcash:.*)\n/.exec(output)?.[1]
        if (uri !== undefined && !isPaid) pay(uri)
      }
      const payment = snippetOf('sdk', 'payment').replace('order-1042', `order on ${name}`)
      const printed = await consumer.run(binary, 'mjs', payment, { env: serviceEnv(), onOutput })
      const [, first, ...later] = printed.trim().split('\n')
      // Where it polls, it can miss `detected`.
      assert.deepEqual([first, later.at(-1)], ['pending', 'paid'])
      const error = await consumer.run(binary, 'mjs', snippetOf('sdk', 'errors'), { env: serviceEnv() })
      assert.equal(error, '400 invalid_amount_zat invalid amount_zat\n')
    })

    test('the example of the Zcash library encrypts a note and decrypts it', async () => {
      // Node 18 has no global `crypto`, as the README says.
      const flags = name === 'node18' ? ['--experimental-global-webcrypto'] : []
      const printed = await consumer.run(binary, 'mjs', snippetOf('zcash', 'roundtrip'), { flags })
      assert.match(printed, /^u1[0-9a-z]+\n150000n 7n \{ kind: 'text', text: 'Thanks!' \}\n$/)
    })
  })
}

/** Pays the URI, and mines three blocks when the payment is seen. */
function pay(uri: string): void {
  at.sandbox.wallet.pay({ uri })
  const id = Buffer.from(/memo=([^&]+)/.exec(uri)?.[1] ?? '', 'base64url').toString()
  const isDetected = async () => (await call(at, `GET /v1/invoices/${id}`)).body.status === 'detected'
  void until('the payment to be seen', isDetected).then(() => at.sandbox.chain.mine(3))
}

test("TypeScript finds the types of imports and requires, with Node's resolution and a bundler's", async () => {
  const code = `
    import { type ExportedRefund, type Invoice, type InvoiceRequest, ZatgateClient } from '@zatgate/sdk'
    import { verifyWebhook } from '@zatgate/sdk/webhook'
    import { parseViewingKey } from '@zatgate/zcash/viewing-key'
    export async function received(id: string): Promise<number> {
      const invoice: Invoice = await new ZatgateClient({ baseUrl: 'https://pay.example.org' }).getInvoice(id)
      // @ts-expect-error: there is no such member
      invoice.amount
      const event = await verifyWebhook('', {}, '')
      return event.type === 'invoice.paid' ? event.received_zat : Number(parseViewingKey('').orchard?.ivk)
    }
    const zatgate = new ZatgateClient({ baseUrl: 'https://pay.example.org' })
    export async function sell(): Promise<string | undefined> {
      const sale: InvoiceRequest = {
        price: { amount: '25.00', currency: 'EUR' },
        order_id: '1042', unique_order: true, description: 'T-shirt', metadata: { cart: ['c-77'] },
        success_url: 'https://shop.example.com', cancel_url: 'https://shop.example.com', auto_redirect: true,
        locale: 'de', tolerance_bps: 50, confirmations: 1, checkout: true, expires_in_secs: 900,
      }
      await zatgate.createInvoice({ open_amount: true, min_amount_zat: 5_000 })
      // @ts-expect-error: a float
      await zatgate.createInvoice({ price: { amount: 25.5, currency: 'EUR' } })
      const { id, rate, checkout_url } = await zatgate.createInvoice(sale, { idempotencyKey: '1042' })
      const { missing_zat, missing_uri } = await zatgate.getInvoice(id, { include: 'missing' })
      const { rates: [euro] } = await zatgate.rates(['EUR'])
      await zatgate.cancelInvoice(id)
      return [rate?.price, euro?.price, missing_uri, missing_zat?.toFixed()].includes(undefined) ? undefined : checkout_url
    }
    export async function refund(id: string): Promise<ExportedRefund[]> {
      // @ts-expect-error: a float
      await zatgate.createRefund(id, { price: { amount: 10.5, currency: 'EUR' } })
      const { id: refund } = await zatgate.createRefund(id, { price: { amount: '10.50', currency: 'EUR' }, reason: 'torn' })
      const { left_zat, refunds } = await zatgate.listInvoiceRefunds(id)
      const { zip321_uri } = await zatgate.refundPayment([refund, ...refunds.map(refund => refund.id)])
      const { status } = await zatgate.markRefundSent(refund, zip321_uri + left_zat)
      const stream = await zatgate.exportRefunds({ format: 'json', from: 0 })
      return status === 'sent' ? await new Response(stream).json() : []
    }`
  const strict = { strict: true, noEmit: true, target: 'es2022', skipLibCheck: false }
  for (const [ending, options] of [
    ['mts', { module: 'nodenext', types: ['node'] }],
    ['cts', { module: 'nodenext', types: ['node'] }],
    ['ts', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] }],
  ] as const) {
    const file = `typed.${ending}`
    writeFileSync(join(consumer.folder, file), code)
    const typeRoots = [join(ROOT, 'node_modules/@types')]
    const config = { compilerOptions: { ...strict, ...options, typeRoots }, files: [file] }
    writeFileSync(join(consumer.folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const errors = await promisify(execFile)(process.execPath, [compiler, '-p', consumer.folder]).then(
      () => '',
      error => `${file}: ${error.stdout}`,
    )
    assert.equal(errors, '')
  }
})

/** Bundles an ES module of the consumer for browsers, as a script that sets the global `result`. */
async function bundleForBrowsers(code: string): Promise<string> {
  const input = join(consumer.folder, 'bundled')
  writeFileSync(input, code)
  const bundle = await rolldown({ input, cwd: consumer.folder, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'result', minify: true })
  await bundle.close()
  assert.equal(output.length, 1)
  return output[0].code
}

test(`the SDK has at most ${MAX_SDK_BYTES} bytes, minified and compressed`, async () => {
  const code = await bundleForBrowsers("export * from '@zatgate/sdk'")
  const bytes = gzipSync(code).length
  assert.ok(bytes > 1_000 && bytes <= MAX_SDK_BYTES, `${bytes} bytes`)
})

const EXPORTED = `
  import * as sdk from '@zatgate/sdk'
  import * as zip321 from '@zatgate/zcash/zip321'
  import * as address from '@zatgate/zcash/address'
  import { createKernel } from '@zatgate/zcash/kernel/kernel'
  const modules = { '@zatgate/sdk': sdk, '@zatgate/zcash/zip321': zip321, '@zatgate/zcash/address': address }
  const load = name => modules[name]
  ${useBoth('load')}
  const follow = async (baseUrl, id) => {
    const seen = []
    for await (const { status } of new sdk.ZatgateClient({ baseUrl }).followInvoice(id)) seen.push(status)
    return seen.join()
  }
  const kernelAddress = base64 => {
    const wasm = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    return createKernel(wasm).encodeAddresses('test', [new Uint8Array(43).fill(9)])[0]
  }
  export { follow, kernelAddress, use }`

async function sell() {
  const { status, body } = await call(at, 'POST /v1/invoices', { token: at.apiKey, json: { amount_zat: 150_000 } })
  assert.equal(status, 200)
  return body as { id: string; zip321_uri: string }
}

test('edge runtimes need nothing but the web platform', async () => {
  const web = { AbortController, atob, crypto, fetch, ReadableStream, TextDecoder, TextEncoder, URL, URLSearchParams }
  const context = createContext({ ...web, clearTimeout, setTimeout, Uint8Array })
  runInContext(await bundleForBrowsers(EXPORTED), context)
  assert.equal(await runInContext('result.use()', context), USED)
  const { id, zip321_uri: uri } = await sell()
  const following = runInContext(`result.follow('${at.url}', '${id}')`, context)
  pay(uri)
  assert.match(await following, /^pending.*,paid$/)
})

test('Chromium verifies a webhook, follows an invoice and uses the kernel', { skip: noBrowser() }, async t => {
  const code = await bundleForBrowsers(EXPORTED)
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  // A merchant's page, on another origin than the service.
  const shop = createServer((_request, response) => response.end())
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  t.after(() => shop.close())
  await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`)
  const evaluate = (call: string) => page.evaluate(`${code};${call}`)
  assert.equal(await evaluate('result.use()'), USED)
  const { id, zip321_uri: uri } = await sell()
  const following = evaluate(`result.follow('${at.url}', '${id}')`)
  pay(uri)
  assert.match(String(await following), /^pending(,detected)+,paid$/)
  const wasm = readFileSync(join(installed('zcash'), 'kernel/kernel.wasm'), 'base64')
  assert.equal(await evaluate(`result.kernelAddress('${wasm}')`), encodeAddress('test', new Uint8Array(43).fill(9)))
})

function installed(name: string): string {
  return join(consumer.folder, 'node_modules/@zatgate', name)
}
