import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { ZatgateClient } from '@zatgate/sdk'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { checkSettings, settingsOf } from '../deploy/checked-settings.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { blocksOf, ROOT } from '../harness/guide.ts'
import { findPostgres, NO_POSTGRES, startPostgres } from '../harness/postgres.ts'
import { missingProgram } from '../harness/programs.ts'
import { type ServiceProcess, startProcess } from '../harness/service-process.ts'
import { openShell, replaceAll } from '../harness/shell.ts'
import { until as pollUntil } from '../harness/until.ts'
import { checkDockerBlock } from './checked-commands.ts'

const BLOCKS = blocksOf('docs/many-processes.md')
const bin = findPostgres()
const skip = bin === null ? NO_POSTGRES : missingProgram('bash') || missingProgram('curl')
/** The connections of one process, as the guide says. */
const MAX_CONNECTIONS = 11
/** Generous for a busy machine. */
const until = <T>(what: string, poll: () => T | Promise<T>) => pollUntil(what, poll, 60_000)

const taggedBlocks = (tag: string) => BLOCKS.filter(block => block.tag === tag).map(({ text }) => text)

test('the processes of the guide share one PostgreSQL, and each role can die and come back', { skip }, async t => {
  const postgres = await startPostgres(bin ?? '')
  t.after(() => postgres.stop())
  const sandbox = await startSandbox({ network: 'test' })
  t.after(() => sandbox.close())
  sandbox.chain.mine(12)
  const folder = temporaryFolder(stackOf(t))
  mkdirSync(join(folder, 'secrets'), { mode: 0o700 })
  writeFileSync(join(folder, 'secrets/encryption_key'), Buffer.alloc(32, 3).toString('base64'))
  writeFileSync(join(folder, 'secrets/smtp_url'), sandbox.smtpUrl)
  const ports = Object.fromEntries(
    await Promise.all(['3000', '3010', '3101', '3102', '3103', '3104'].map(async port => [port, await freePort()])),
  )
  const withPorts = (text: string) => text.replaceAll(/\b3[01]\d\d\b/g, port => ports[port])
  const shell = openShell(t, {
    folder,
    env: { WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'silent', RATE_LIMIT: '0' },
  })
  await shell.run(`sudo() { shift 2; PGHOST='${postgres.folder}' PGUSER=postgres '${bin}/'"$@"; }`)
  const [prepare = '', look = '', ...others] = taggedBlocks('sh run')
  assert.deepEqual(others, [])
  const host = `@localhost/zatgate?host=${encodeURIComponent(postgres.folder)}`
  const replaced = { 'https://testnet.zec.rocks:443': sandbox.lightwalletdUrl, '@127.0.0.1/zatgate': host }
  await shell.run(replaceAll(prepare, replaced))

  const settings = await settingsOf(shell)
  const [starts = ''] = taggedBlocks('sh start')
  const commands = [...withPorts(starts).matchAll(/^(.*) npx zatgate start &$/gm)].map(([, values = '']) =>
    Object.fromEntries(values.split(' ').map(pair => pair.split('=') as [string, string])),
  )
  const start = (own: Record<string, string>, index: number) =>
    startProcess({ ...settings, ...own, DATA_DIR: join(folder, `data-${index}`) })
  const processes = await Promise.all(commands.map(start))
  t.after(() => Promise.all(processes.map(process => process.kill())))
  assert.deepEqual(
    commands.map(({ ROLES }) => ROLES),
    ['watcher', 'delivery', 'api', 'api'],
  )
  const [watcher, delivery, first, second] = processes as [
    ServiceProcess,
    ServiceProcess,
    ServiceProcess,
    ServiceProcess,
  ]
  const ready = async (port: string) => (await fetch(`http://127.0.0.1:${ports[port]}/readyz`)).ok
  for (const port of ['3101', '3102', '3103', '3104']) await until(`port ${port}`, () => ready(port))

  const output = await shell.run(withPorts(look))
  assert.equal(output.match(/"ready":true/g)?.length, 4)
  assert.match(output, /^ok {7}database: postgres opens/m)
  assert.match(output, /^shop@example\.com can sign in$/m)
  const counts = [...output.matchAll(/^ *(zatgate\S*).*\| +(\d+)$/gm)].map(([, , count]) => Number(count))
  assert.ok(counts.length > 0 && counts.reduce((sum, count) => sum + count) <= MAX_CONNECTIONS * processes.length)

  const sessionToken = (await shell.run('npx zatgate session create --email shop@example.com')).trim()
  const client = (baseUrl: string, apiKey = '') => new ZatgateClient({ baseUrl, sessionToken, apiKey })
  await client(first.url).setViewingKey(sandbox.demoViewingKey)
  await client(second.url).setWebhook(sandbox.webhookUrl)
  const { key } = await client(first.url).createApiKey('shop')

  const one = await client(first.url, key).createInvoice({ amount_zat: 150_000 })
  await first.kill()
  const two = await client(second.url, key).createInvoice({ amount_zat: 150_000 })
  assert.notEqual(two.address, one.address)

  await watcher.kill()
  await delivery.kill()
  for (const { zip321_uri: uri } of [one, two]) sandbox.wallet.pay({ uri })
  sandbox.chain.mine(3)
  assert.equal((await client(second.url).getInvoice(one.id)).status, 'pending')
  processes.push(await start(commands[0] ?? {}, 4))
  for (const { id } of [one, two])
    await until('paid', async () => (await client(second.url).getInvoice(id)).status === 'paid')
  assert.equal(sandbox.webhookReceiver.deliveries.length, 0)
  processes.push(await start(commands[1] ?? {}, 5))
  await until('both events', () => sandbox.webhookReceiver.deliveries.length === 2)

  assert.equal(await second.stop(), 0)
})

for (const text of taggedBlocks('sh docker'))
  test(`Compose: ${text.split('\n').at(-2)} names files, services and versions that exist`, () =>
    checkDockerBlock(text))

test('the commands for Kubernetes install and update the chart, as pasted', {
  skip: missingProgram('helm'),
}, async t => {
  const folder = temporaryFolder(stackOf(t))
  const [install = '', upgrade = '', ...others] = taggedBlocks('sh kubernetes')
  assert.deepEqual(others, [])
  // Manifests are rendered in place of being sent to a cluster.
  const stand = `kubectl() { echo "kubectl $*" >&2; }
helm() { case $1 in install | upgrade) shift; command helm template --kube-version 1.30.0 "$@" ;; *) false ;; esac; }`
  const shell = openShell(t, { folder })
  await shell.run(stand)
  const chart = { 'deploy/helm/zatgate': join(ROOT, 'deploy/helm/zatgate') }
  const rendered = await shell.run(replaceAll(install, chart))
  for (const role of ['api', 'watcher', 'delivery'])
    assert.match(rendered, new RegExp(`^  name: zatgate-${role}$`, 'm'))
  assert.match(rendered, /host: "pay\.example\.com"/)
  assert.match(await shell.run(replaceAll(upgrade, chart)), /image: "registry\.example\.com\/zatgate:0\.1\.0"/)

  const settings = [...(/settings:\n((?: {2}.*\n)+)/.exec(install)?.[1] ?? '').matchAll(/^ {2}(\w+): (.*)$/gm)]
  const files = ['DATABASE_URL', 'ENCRYPTION_KEY', 'SMTP_URL'].map(name => [`${name}_FILE`, `/run/secrets/${name}`])
  const env = Object.fromEntries([...settings.map(([, name = '', value = '']) => [name, value]), ...files])
  assert.equal(checkSettings(env, folder).lightwalletdUrls.length, 2)
  assert.match(install, /--from-file=cluster-secrets$/m)
  const created = readdirSync(join(shell.folder, 'cluster-secrets')).map(name => `${name}_FILE`)
  assert.deepEqual(created.sort(), files.map(([name]) => name).sort())
})

test('every block of the guide has a test', () => {
  const tags = new Set(BLOCKS.map(({ tag }) => tag))
  assert.deepEqual([...tags].sort(), ['sh docker', 'sh kubernetes', 'sh run', 'sh start'])
})
