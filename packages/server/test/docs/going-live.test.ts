import assert from 'node:assert/strict'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { loadConfig } from '../../src/config/settings.ts'
import { settingsOf } from '../deploy/checked-settings.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { blocksOf, ROOT } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { startProcess } from '../harness/service-process.ts'
import { openShell } from '../harness/shell.ts'
import { until as pollUntil } from '../harness/until.ts'
import { doctorLines } from './guide.ts'

const BLOCKS = blocksOf('docs/going-live.md')
/** Generous for a busy machine: the service runs in its own process. */
const until = <T>(what: string, poll: () => T | Promise<T>) => pollUntil(what, poll, 60_000)
const skip = missingProgram('bash') || missingProgram('curl') || missingProgram('openssl', 'version')

const used = new Set<string>()

/** The block that consists of this text, or else the only one that contains it. */
function blockWith(tag: string, text: string): string {
  const candidates = BLOCKS.filter(block => block.tag === tag && block.text.includes(text))
  const block = candidates.find(block => block.text === `${text}\n`) ?? candidates[0]
  assert.ok(block && (candidates.length === 1 || block.text === `${text}\n`), `not exactly one block with ${text}`)
  used.add(block.text)
  return block.text
}

/** The lines of doctor without what differs by machine and time. */
function shape(output: string): string[] {
  return doctorLines(output).map(line =>
    line
      .replaceAll(/ at \S+zatgate\.db/g, ' at DATABASE')
      .replaceAll(/127\.0\.0\.1(:\d+)?|testnet\.zec\.rocks|mail\.example\.com/g, 'HOST')
      .replaceAll(/\d+/g, 'N'),
  )
}

test('the steps of the guide lead from a viewing key to a paid invoice on testnet, as pasted', { skip }, async t => {
  const sandbox = await startSandbox({ network: 'test' })
  t.after(() => sandbox.close())
  sandbox.chain.mine(12)
  const folder = temporaryFolder(stackOf(t))
  const port = await freePort()
  const shell = openShell(t, {
    folder,
    env: { PORT: String(port), WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'error' },
    replace: {
      'https://testnet.zec.rocks:443': sandbox.lightwalletdUrl,
      'smtps://user:password@mail.example.com': sandbox.smtpUrl,
      'https://shop.example.com/webhook': sandbox.webhookUrl,
      'http://127.0.0.1:3000': `http://127.0.0.1:${port}`,
    },
  })
  const paste = (text: string) => shell.run(blockWith('sh run', text))
  writeFileSync(join(folder, 'viewing-key.txt'), sandbox.demoViewingKey)
  symlinkSync(join(ROOT, 'deploy'), join(folder, 'deploy'))

  const firstAddress = (await paste('--index 0')).trim()
  await paste('install -d -m 700 secrets data')
  const key = readFileSync(join(folder, 'secrets/encryption_key'), 'utf8')
  await paste('install -d -m 700 secrets data')
  assert.equal(readFileSync(join(folder, 'secrets/encryption_key'), 'utf8'), key, 'repeated, it keeps the key')
  assert.equal(statSync(join(folder, 'secrets/encryption_key')).mode & 0o777, 0o600)
  await paste('cat > zatgate.env')
  const shown = blockWith('text doctor', 'settings')
  // The chain of the test is a short one.
  const printed = (await paste('npx zatgate doctor')).replace(
    /^WARNING .* but the public testnet is above .*\n.*\n/m,
    '',
  )
  assert.deepEqual(shape(printed), shape(shown))

  assert.equal(blockWith('sh start', 'npm'), 'npm start\n')
  const service = await startProcess(await settingsOf(shell))
  t.after(() => service.kill())

  const ready = async () => (await fetch(`${service.url}/readyz`)).json() as Promise<{ ready: boolean }>
  await until('the chain', async () => (await ready()).ready)
  assert.match(await paste('/readyz'), /"ready":true/)
  const account = JSON.parse(await paste('/v1/account/viewing-key'))
  assert.equal(account.first_address, firstAddress)
  assert.match(await paste('/webhook/test'), /"whsec_.*delivery_id/s)
  await until('the test event', () => sandbox.webhookReceiver.deliveries.length === 1)
  await until('its log', async () => /"status_code":200/.test(await paste('/webhook/deliveries')))

  const uri = (await paste('zip321_uri')).trim()
  sandbox.wallet.pay({ uri })
  const status = async () => JSON.parse(await paste('/v1/invoices/$ID')).status
  await until('detected', async () => (await status()) === 'detected')
  sandbox.chain.mine(3)
  await until('paid', async () => (await status()) === 'paid')
  await until('the event', () =>
    sandbox.webhookReceiver.deliveries.some(({ body }) => /invoice\.paid/.test(String(body))),
  )

  await paste('npx zatgate backup')
  const restored = await paste('DATA_DIR=restored')
  assert.match(restored, /its secrets decrypt; 1 accounts/)
  assert.match(restored, /the next start advances the address counters/)
  assert.match(restored, /^shop@example\.com /m)
  assert.match(await paste(':3000/metrics'), /^zatgate_invoices_created_total\{purpose="sale"\} 1$/m)
  assert.equal(await service.stop(), 0)

  const [mainnet = '', doctor] = blockWith('sh mainnet', 'data-testnet').split('npx zatgate doctor\n')
  assert.equal(doctor, '')
  await shell.run(mainnet)
  const mainKey = readFileSync(join(folder, 'secrets/encryption_key'), 'utf8')
  await shell.run(mainnet)
  assert.equal(readFileSync(join(folder, 'secrets/encryption_key'), 'utf8'), mainKey, 'repeated, it keeps the key')
  assert.equal(readFileSync(join(folder, 'data-testnet/encryption_key'), 'utf8'), key)
  assert.notEqual(mainKey, key)
  const config = loadConfig(await settingsOf(shell))
  assert.equal(config.network, 'main')
  assert.equal(config.lightwalletdUrls.length, 2)
  assert.ok(statSync(join(folder, 'data-testnet/zatgate.db')).isFile())
  const unused = BLOCKS.map(block => block.text).filter(block => !used.has(block))
  assert.deepEqual(unused, [], 'every block of the guide is run')
})
