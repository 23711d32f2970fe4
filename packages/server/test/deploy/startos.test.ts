import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  DEFAULT_CHAIN_SERVERS,
  environmentOf,
  type MailServer,
  PATHS,
} from '../../../../deploy/startos/startos/environment.ts'
import { checkReady } from '../../../../deploy/startos/startos/health.ts'
import { newestMails } from '../../../../deploy/startos/startos/mailbox.ts'
import { leftOut } from '../../../zcash/test/left-out.ts'
import { startTestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { checkSettings } from './checked-settings.ts'
import { deployPath, deployText, projectVersion } from './files.ts'

const PACKAGE = deployPath('startos')
const isInstalled = existsSync(join(PACKAGE, 'node_modules'))
/** In CI the tests fail instead. */
const NOT_INSTALLED = 'the tools of deploy/startos are not installed (npm ci there)'
const skip = leftOut('startos') || (!isInstalled && process.env.CI !== 'true' && NOT_INSTALLED)

const folder = mkdtempSync(join(tmpdir(), 'zatgate-startos-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs a program of the package's tools. @throws when it fails */
function run(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
}

const CHOICES = { network: 'main', chainServers: DEFAULT_CHAIN_SERVERS, publicUrl: '', mail: null } as const
const MAIL: MailServer = {
  ...{ host: 'mail.example.com', port: 465, security: 'tls', from: 'Shop <pay@example.com>' },
  ...{ username: 'shop@example.com', password: 'p@ss:word/' },
}

/** The configuration of the service for these choices. */
const configOf = (choices: Parameters<typeof environmentOf>[0]) =>
  checkSettings({ ...environmentOf(choices), DATA_DIR: folder }, folder)

test('StartOS: without a mail server, the settings start the service with the mailbox of the box', () => {
  const config = configOf(CHOICES)
  assert.deepEqual([config.network, config.registration, config.lightwalletdUrls.length], ['main', 'closed', 2])
  assert.equal(config.mail?.smtpUrl, 'smtp://127.0.0.1:1025')
})

test('StartOS: a mail server becomes SMTP_URL, whatever its password contains', () => {
  const { mail, publicUrl } = configOf({ ...CHOICES, publicUrl: 'https://pay.example.com', mail: MAIL })
  assert.equal(publicUrl, 'https://pay.example.com')
  const url = new URL(mail?.smtpUrl ?? '')
  assert.deepEqual([url.protocol, url.host], ['smtps:', 'mail.example.com:465'])
  assert.equal(decodeURIComponent(url.username), MAIL.username)
  assert.equal(decodeURIComponent(url.password), MAIL.password)
  const open = configOf({
    ...CHOICES,
    mail: { ...MAIL, username: '', password: null, security: 'starttls', port: 587 },
  })
  assert.deepEqual(open.mail, { smtpUrl: 'smtp://mail.example.com:587', from: MAIL.from, requireTls: true })
})

test('StartOS: the health check reads /readyz and names the failed check', async t => {
  const service = await startTestService({ env: { HEALTH_PORT: '0' } })
  t.after(() => service.close())
  const url = `http://127.0.0.1:${service.service.healthPort}/readyz`
  await until('the chain', async () => (await checkReady(url)).result === 'success')
  assert.equal((await checkReady(url)).message, 'zatgate serves and sees the chain')
  const late = await serve(t, { ready: false, checks: [{ name: 'chain', ok: false, reason: 'no server responds' }] })
  assert.deepEqual(await checkReady(late), { result: 'failure', message: 'chain: no server responds' })
  assert.equal((await checkReady('http://127.0.0.1:1/readyz')).result, 'failure')
})

test('StartOS: the mails of the box are read in the format of Mailpit', async t => {
  const summary = {
    ID: 'kGdpyXTf',
    Subject: 'Your code',
    Created: '2026-05-01T12:00:00Z',
    To: [{ Address: 'a@b.example' }],
  }
  const url = await serve(t, { messages: [summary], Text: '123456 is your code.' })
  assert.deepEqual(await newestMails(url), [
    { to: 'a@b.example', subject: 'Your code', at: '2026-05-01T12:00:00Z', text: '123456 is your code.' },
  ])
})

test('StartOS: the paths are those of the image, and its user', () => {
  const dockerfile = deployText('docker/Dockerfile')
  assert.match(dockerfile, new RegExp(`DATA_DIR=${PATHS.data}\\b`))
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.match(dockerfile, /^WORKDIR \/app$/m)
})

test('StartOS: the package has the version of the project and the licence and icon of the project', () => {
  assert.match(deployText('startos/startos/versions/current.ts'), new RegExp(`version: '${projectVersion()}:\\d+'`))
  for (const [own, original] of [
    ['LICENSE', '../LICENSE'],
    ['icon.svg', '../packages/server/src/web/assets/icon.svg'],
  ] as const)
    assert.equal(deployText(`startos/${own}`), deployText(original))
})

test('StartOS: the package agrees with the types and rules of the SDK', { skip }, () => {
  run('node_modules/typescript/bin/tsc', '--noEmit')
  run('node_modules/@start9labs/start-sdk/lint.mjs')
})

test('StartOS: the package is built, and its manifest names what the image and the backups need', { skip }, () => {
  const file = join(folder, 'index.cjs')
  const cli = 'node_modules/rolldown/bin/cli.mjs'
  run(cli, 'startos/index.ts', '--file', file, '--format', 'cjs', '--platform', 'node', '--log-level', 'silent')
  const built = createRequire(import.meta.url)(file)
  assert.deepEqual(Object.keys(built).sort(), ['actions', 'createBackup', 'init', 'main', 'manifest', 'uninit'])
  const { manifest } = built
  assert.equal(manifest.version, `${projectVersion()}:0`)
  assert.deepEqual(manifest.volumes, ['main', 'secrets', 'mail'])
  assert.ok(manifest.description.short.length <= 80 && manifest.description.long.length <= 500)
  const { workdir, dockerfile } = manifest.images.zatgate.source.dockerBuild
  assert.equal(join(PACKAGE, workdir), deployPath('..'))
  assert.equal(join(PACKAGE, dockerfile), deployPath('docker/Dockerfile'))
  for (const { arch } of Object.values<{ arch: string[] }>(manifest.images))
    assert.deepEqual([...arch].sort(), ['aarch64', 'x86_64'])
  const { scripts } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  assert.ok(scripts.build.startsWith('rolldown startos/index.ts --file javascript/index.js'))
})

test('Umbrel and StartOS have the same mailbox', () => {
  const [, image] = /dockerTag: '(.*)'/.exec(deployText('startos/startos/manifest/index.ts')) ?? []
  assert.ok(image && deployText('umbrel/zatgate-mail/docker-compose.yml').includes(`image: ${image}\n`))
})

/** A server that responds to every request with this JSON. @returns its URL */
async function serve(t: { after(work: () => unknown): void }, body: unknown): Promise<string> {
  const server = createServer((_, response) => response.end(JSON.stringify(body)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
