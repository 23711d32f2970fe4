import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { encryptionKeys } from '../../src/config/parsers.ts'
import { runCommand } from '../harness/command-line.ts'
import { registeredPages } from '../harness/registered-pages.ts'
import { checkSettings } from './checked-settings.ts'
import { substitute, UMBREL } from './compose.ts'
import { deployPath, deployText, projectVersion } from './files.ts'

/** The fields that the linter of Umbrel's app store requires, and those that must be text. */
const TEXT = ['id', 'category', 'name', 'version', 'tagline', 'description', 'website', 'support', 'path', 'submission']
const REQUIRED = [...TEXT, 'manifestVersion', 'developer', 'dependencies', 'repo', 'port', 'gallery', 'submitter']
const CATEGORIES = 'ai automation bitcoin crypto developer files finance media networking social'.split(' ')
/** Used by umbrelOS itself; from 40000 on are those of virtual machines. */
const RESERVED_PORTS = [80, 443, 2000]
interface Service {
  readonly image: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly environment: Record<string, string>
  readonly volumes?: readonly string[]
  readonly build?: unknown
  readonly ulimits?: unknown
  readonly ports?: unknown
  readonly privileged?: unknown
  readonly depends_on?: Record<string, unknown>
}

const store = parse(deployText('umbrel/umbrel-app-store.yml'))
const apps = globSync('*/umbrel-app.yml', { cwd: deployPath('umbrel') })
  .map(dirname)
  .sort()
  .map(id => ({
    id,
    manifest: parse(deployText(`umbrel/${id}/umbrel-app.yml`)),
    compose: parse(substitute(deployText(`umbrel/${id}/docker-compose.yml`), UMBREL), { merge: true }) as {
      services: Record<string, Service>
    },
  }))
const OWNER = 'owner@umbrel.local'
const server = apps.find(({ id }) => id === 'zatgate-server') ?? assert.fail('there is no app zatgate-server')

const folder = mkdtempSync(join(tmpdir(), 'zatgate-umbrel-'))
after(() => rmSync(folder, { recursive: true }))

test('Umbrel: the app store has a name and an id, which begins the id of each app', () => {
  assert.match(store.id, /^[a-z-]+$/)
  assert.ok(store.name)
  assert.deepEqual(
    apps.map(({ id }) => id),
    ['zatgate-mail', 'zatgate-server'],
  )
  for (const { id } of apps) assert.ok(id.startsWith(`${store.id}-`), id)
})

for (const { id, manifest, compose } of apps) {
  test(`Umbrel: the manifest of ${id} has every required field`, () => {
    for (const field of REQUIRED) assert.ok(field in manifest, field)
    for (const field of TEXT) assert.equal(typeof manifest[field], 'string', field)
    assert.equal(manifest.id, id)
    assert.match(String(manifest.manifestVersion), /^\d+(\.\d+){0,2}$/)
    assert.ok(CATEGORIES.includes(manifest.category))
    assert.deepEqual(manifest.storage, { dataRoot: 'data' })
    for (const field of ['website', 'repo', 'support', 'submission', 'icon']) assert.ok(URL.canParse(manifest[field]))
    assert.ok(statSync(deployPath(`umbrel/${id}/icon.svg`)).size > 0)
    for (const app of manifest.dependencies) assert.ok(apps.some(other => other.id === app && other.id !== id))
  })

  test(`Umbrel: ${id} runs pinned images without privileges, and keeps its data below data/`, () => {
    assert.deepEqual(Object.keys(compose), ['services'])
    const { app_proxy: proxy, ...services } = compose.services
    assert.ok(proxy)
    const [, target = ''] = new RegExp(`^${id}_(\\w+)_1$`).exec(proxy.environment.APP_HOST ?? '') ?? []
    assert.ok(target in services, target)
    for (const [name, { image, user, volumes = [], depends_on = {}, ...rest }] of Object.entries(services)) {
      assert.match(image, /^[^:]+:v?\d+\.\d+\.\d+$/)
      assert.equal(user, '1000:1000', name)
      for (const field of ['build', 'ports', 'privileged'] as const) assert.equal(rest[field], undefined)
      for (const dependency of Object.keys(depends_on)) assert.ok(dependency in services)
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        const path = source.replace(UMBREL.APP_DATA_DIR, `umbrel/${id}`)
        assert.match(path, new RegExp(`^umbrel/${id}/data/`))
        assert.ok(existsSync(deployPath(`${path}/.gitkeep`)), path)
      }
    }
  })
}

test('Umbrel: the ports of the apps are free and differ', () => {
  const ports = apps.map(({ manifest }) => manifest.port)
  assert.equal(new Set(ports).size, ports.length)
  for (const port of ports) assert.ok(port > 1024 && port < 40_000 && !RESERVED_PORTS.includes(port))
})

test('Umbrel: versions are those of the images: the project’s own, and that of the mailbox', () => {
  assert.equal(server.manifest.version, projectVersion())
  for (const { manifest, compose } of apps) {
    const { app_proxy: _, ...services } = compose.services
    for (const { image } of Object.values(services))
      assert.equal(image.split(':').at(-1)?.replace('v', ''), manifest.version)
  }
})

test('Umbrel: the settings start the service, on the port of the proxy', () => {
  const { server: service, app_proxy: proxy } = server.compose.services
  const image = /^ENV (.*)$/m.exec(deployText('docker/Dockerfile'))?.[1]?.split(' ') ?? []
  const { NODE_ENV: _, ...defaults } = Object.fromEntries(image.map(pair => pair.split('=') as [string, string]))
  const config = checkSettings({ ...defaults, ...service?.environment, DATA_DIR: folder }, folder)
  assert.equal(config.network, 'main')
  assert.equal(config.publicUrl, 'https://umbrel.local:3470')
  assert.equal(config.port, proxy?.environment.APP_PORT)
  assert.equal(config.host, '0.0.0.0')
  assert.equal(config.plans[0]?.monthlyInvoiceLimit, null)
  assert.equal(config.registration, 'closed')
  assert.deepEqual(service?.ulimits, { core: 0 })
})

test('Umbrel: the settings that the owner can change have the defaults of compose', () => {
  for (const { name, services, default: shown } of server.manifest.environment)
    for (const service of services) {
      const value = server.compose.services[service]?.environment[name]
      assert.ok(value, name)
      if (shown !== undefined) assert.equal(value, shown)
    }
})

/** Public pages that only the owner needs. */
const OF_THE_OWNER = /^\/(?:$|sign-in|docs|undo-email\/)/

test('Umbrel: without its login open are the API, which has credentials, and the public pages that are not only for the owner', async () => {
  const { PROXY_AUTH_WHITELIST: open, PROXY_AUTH_ADD: added } =
    server.compose.services.app_proxy?.environment ?? assert.fail()
  const paths = open?.split(',') ?? []
  const isOpen = (path: string) =>
    paths.some(open => (open.endsWith('*') ? path.startsWith(open.slice(0, -1)) : path === open))
  for (const path of ['/v1/invoices', '/api/v1/server/info', '/assets/site.css']) assert.ok(isOpen(path), path)
  for (const [line, access] of await registeredPages()) {
    const [, path = ''] = line.split(' ')
    assert.equal(isOpen(path), access === 'public' && !OF_THE_OWNER.test(path), line)
  }
  assert.equal(added, undefined)
})

test('Umbrel: the mailbox, which other apps reach, has the password that Umbrel derives and shows', () => {
  const mail = apps.find(({ id }) => id === 'zatgate-mail') ?? assert.fail('there is no app zatgate-mail')
  assert.deepEqual([mail.manifest.defaultUsername, mail.manifest.deterministicPassword], ['umbrel', true])
  assert.equal(mail.compose.services.mailbox?.environment.MP_UI_AUTH, `umbrel:${UMBREL.APP_PASSWORD}`)
})

test('Umbrel: a restored database has its address counters advanced before the start, and only then', async () => {
  const { entrypoint = [], command = [], environment } = server.compose.services.restored ?? {}
  const data = join(folder, 'restored')
  for (const name of ['', 'zatgate', 'marker']) mkdirSync(join(data, name))
  const { ENCRYPTION_KEY_FILE: _, PLANS_FILE: __, ...others } = environment ?? {}
  const settings = {
    ...others,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    DATA_DIR: join(data, 'zatgate'),
  }
  const script =
    command[0]
      ?.replaceAll('$$', '$')
      .replaceAll('/data/', `${data}/zatgate/`)
      .replaceAll('/marker/', `${data}/marker/`) ?? ''
  const start = (owner = OWNER) => {
    const [shell = '', ...options] = entrypoint
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const env = { PATH: path, ...settings, OWNER_EMAIL: owner }
    const run = { cwd: deployPath('..'), encoding: 'utf8', env } as const
    const { status, stdout, stderr } = spawnSync(shell, [...options, script], run)
    assert.equal(status, 0, stderr)
    return stdout
  }
  assert.equal(start(), '')
  assert.equal(start(), '')
  const { out } = await runCommand(['account', 'list'], settings)
  assert.ok(out.includes(OWNER))
  await runCommand(['account', 'email', OWNER, 'owner@example.org'], settings)
  start()
  const { out: changed } = await runCommand(['account', 'list'], settings)
  assert.ok(!changed.includes(OWNER), 'no second account for the address that the owner has left')
  start('an address that is refused')
  rmSync(join(data, 'marker/started'))
  assert.match(start(), /address counter/)
  assert.equal(start(), '')
  assert.deepEqual(server.manifest.backupIgnore, ['data/marker/*'])
})

test('Umbrel: the encryption key is generated once, and only its owner reads it', () => {
  const { entrypoint = [], command = [] } = server.compose.services.secrets ?? {}
  const [program, ...args] = [...entrypoint, ...command]
  assert.deepEqual([program, args.at(-1)], ['node', '/secrets/encryption_key'])
  const file = join(folder, 'generated_key')
  const start = () => spawnSync(process.execPath, [...args.slice(0, -1), file], { encoding: 'utf8' })
  assert.deepEqual([start().status, start().stderr], [0, ''])
  const key = readFileSync(file, 'utf8')
  assert.equal(encryptionKeys(key).length, 1)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(start().status, 0)
  assert.equal(readFileSync(file, 'utf8'), key)
  assert.ok(!existsSync(`${file}.new`))
})
