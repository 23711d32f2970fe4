import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import type { Env } from '../../src/config/settings.ts'
import { checkSettings, KNOWN } from './checked-settings.ts'
import { EXAMPLE, substitute } from './compose.ts'
import { deployPath, deployText } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'zatgate-deploy-'))
after(() => rmSync(folder, { recursive: true }))

const check = (env: Env) => checkSettings(env, folder)

const compose = parse(substitute(deployText('compose/compose.yaml'), EXAMPLE), { merge: true })

for (const role of ['api', 'watcher', 'delivery'])
  test(`compose: the settings of the role ${role} start the service on PostgreSQL`, () => {
    const config = check(compose.services[role].environment)
    assert.deepEqual(config.roles, [role])
    assert.match(config.databaseUrl, /^postgres:/)
    assert.ok(config.metricsToken)
  })

test('compose: without plans there is no limit, and .env can name a plans file and the key that is paid', () => {
  const settingsOf = (values: Record<string, string>) =>
    check(
      parse(substitute(deployText('compose/compose.yaml'), { ...EXAMPLE, ...values }), { merge: true }).services.api
        .environment,
    )
  assert.ok(settingsOf({}).plans.every(plan => plan.monthlyInvoiceLimit === null))
  const key = `uview1${'qpzry9x8'.repeat(20)}`
  const config = settingsOf({ PLANS_FILE: '/plans/unlimited.json', BILLING_VIEWING_KEY: key })
  assert.deepEqual([config.plans.length, config.billingViewingKey], [1, key])
  for (const role of ['api', 'watcher', 'delivery'])
    assert.ok(compose.services[role].volumes.includes('../plans:/plans:ro'), role)
})

test('compose: every variable of .env.example is used', () => {
  const text = deployText('compose/compose.yaml')
  for (const name of Object.keys(EXAMPLE)) assert.ok(text.includes(`\${${name}`), name)
})

test('compose: no container gets privileges, a writable root or unbounded memory, and secrets are files', () => {
  for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.ok(service.mem_limit, name)
    assert.ok(service.pids_limit, name)
    const { networks, secrets = [] } = service as { networks: string[]; secrets?: string[] }
    for (const network of networks) assert.ok(network in compose.networks, network)
    for (const secret of secrets) assert.ok(secret in compose.secrets, secret)
    assert.ok(
      !/password|zatgate:.*@/i.test(
        JSON.stringify(service.environment ?? {})
          .replaceAll('_FILE', '')
          .replaceAll('/run/secrets/postgres_password', '')
          .replaceAll('POSTGRES_PASSWORD', ''),
      ),
      name,
    )
  }
})

test('compose: the trusted addresses are those of the one network that Caddy shares with the API', () => {
  const { api, caddy } = compose.services
  assert.deepEqual(
    caddy.networks.filter((name: string) => api.networks.includes(name)),
    ['front'],
  )
  const { TRUST_PROXY } = compose.services.api.environment
  assert.equal(TRUST_PROXY, compose.networks.front.ipam.config[0].subnet)
})

test('Dockerfile: its variables are settings, and its health check reads the port that they name', () => {
  const dockerfile = deployText('docker/Dockerfile')
  const line = /^ENV (.*)$/m.exec(dockerfile)?.[1] ?? ''
  const env = Object.fromEntries(line.split(' ').map(pair => pair.split('=') as [string, string]))
  const { NODE_ENV: _, ...settings } = env
  assert.deepEqual(
    Object.keys(settings).filter(name => !KNOWN.has(name)),
    [],
  )
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.match(dockerfile, /HEALTH_PORT/)
})

test('no core dump, which would contain viewing keys, is written by systemd, Docker or Compose', () => {
  assert.match(deployText('systemd/zatgate.service'), /^LimitCORE=0$/m)
  assert.match(readFileSync(join(deployPath('..'), 'docs/one-machine.md'), 'utf8'), / --ulimit core=0 /)
  for (const role of ['api', 'watcher', 'delivery']) assert.deepEqual(compose.services[role].ulimits, { core: 0 })
})

test('systemd: the settings of the unit and of the guide start the service on SQLite', () => {
  const unit = deployText('systemd/zatgate.service')
  const own = [...unit.matchAll(/^Environment=(?!MALLOC_)(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const { DATA_DIR, ...env } = Object.fromEntries(own) as Record<string, string>
  assert.equal(DATA_DIR, '/var/lib/zatgate')
  const guide = readFileSync(join(deployPath('..'), 'docs/one-machine.md'), 'utf8')
  const file = /zatgate\.env > \/dev\/null <<'EOF'\n([\s\S]*?)\nEOF/.exec(guide)?.[1] ?? ''
  const fromGuide = Object.fromEntries(file.split('\n').map(line => line.split('=') as [string, string]))
  const config = check({ ...env, ...fromGuide })
  assert.deepEqual([config.network, config.lightwalletdUrls.length, config.registration], ['main', 2, 'closed'])
  assert.deepEqual(config.warnings, [])
})

test('Helm: the values of the example are settings with which the service starts', () => {
  const { settings } = parse(deployText('helm/zatgate/values.yaml'))
  const given = parse(deployText('helm/values.test.yaml'))
  const files = given.secretKeys.map((name: string) => [`${name}_FILE`, `/run/secrets/zatgate/${name}`])
  check({ ...settings, ...given.settings, ...Object.fromEntries(files) })
})
