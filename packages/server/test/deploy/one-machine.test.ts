import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/settings.ts'
import { blocksOf } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { COMMAND, startProcess } from '../harness/service-process.ts'
import { openShell } from '../harness/shell.ts'
import { checkSettings, KNOWN } from './checked-settings.ts'
import { ONE_MACHINE_EXAMPLE, substitute } from './compose.ts'
import { deployPath, deployText } from './files.ts'

const FOLDER = 'one-machine'
const folder = mkdtempSync(join(tmpdir(), 'zatgate-one-machine-'))
after(() => rmSync(folder, { recursive: true }))

const text = deployText(`${FOLDER}/compose.yaml`)
const composeOf = (values: Record<string, string> = {}) =>
  parse(substitute(text, { ...ONE_MACHINE_EXAMPLE, ...values }), { merge: true })
const compose = composeOf()

/** The environment of a container: `.env`, then what the compose file sets. */
function environmentOf(service: string, values: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = {
    ...ONE_MACHINE_EXAMPLE,
    ...values,
    ...composeOf(values).services[service].environment,
  }
  return Object.fromEntries(Object.entries(env).filter(([name]) => KNOWN.has(name)))
}

test('the settings start the service in one process on SQLite, without a warning or a limit of invoices', () => {
  for (const service of ['zatgate', 'backup']) {
    assert.deepEqual(compose.services[service].env_file, [{ path: '.env', required: false }])
    const config = checkSettings(environmentOf(service), folder)
    assert.match(config.databaseUrl, /^sqlite:/)
    assert.deepEqual([config.roles.length, config.registration, config.warnings], [3, 'closed', []])
    assert.ok(config.metricsToken)
    assert.ok(config.plans.every(plan => plan.monthlyInvoiceLimit === null))
  }
})

test('.env can name the node of the profile, a plans file and any other setting', () => {
  const values = {
    LIGHTWALLETD_URL: 'http://zebra:9067,https://zec.rocks:443',
    PLANS_FILE: '/plans/unlimited.json',
    CONFIRMATIONS: '5',
  }
  const config = checkSettings(environmentOf('zatgate', values), folder)
  assert.deepEqual([config.lightwalletdUrls.length, config.plans.length], [2, 1])
  assert.ok(compose.services.zatgate.volumes.includes('../plans:/plans:ro'))
  const { zebra, zatgate } = compose.services
  assert.match(zebra.environment.ZEBRA_RPC__LIGHTWALLETD_LISTEN_ADDR, /:9067$/)
  assert.ok(zatgate.networks.includes('chain') && zebra.networks.includes('chain'))
})

test('every name in .env.example is a setting, or a variable of the compose file', () => {
  const own = Object.keys(ONE_MACHINE_EXAMPLE).filter(name => !KNOWN.has(name) && !text.includes(`\${${name}`))
  assert.deepEqual(own, ['COMPOSE_PROFILES'])
})

test('no container gets privileges, a writable root, unbounded memory or unbounded logs, and secrets are files', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test inspects the file freely
  for (const [name, service] of Object.entries<any>(compose.services)) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    assert.equal(service.restart, 'unless-stopped', name)
    assert.ok(service.mem_limit && service.pids_limit && service.logging.options['max-size'], name)
    for (const network of service.networks ?? []) assert.ok(network in compose.networks, network)
    for (const secret of service.secrets ?? []) assert.ok(secret in compose.secrets, secret)
    for (const volume of service.volumes as string[]) {
      const [source = ''] = volume.split(':')
      const exists = source.startsWith('.')
        ? existsSync(resolve(deployPath(FOLDER), source))
        : source in compose.volumes
      assert.ok(exists, volume)
    }
  }
  for (const name of ['zatgate', 'backup']) assert.deepEqual(compose.services[name].ulimits, { core: 0 })
  const { GF_SECURITY_ADMIN_PASSWORD__FILE } = compose.services.grafana.environment
  assert.equal(GF_SECURITY_ADMIN_PASSWORD__FILE, '/run/secrets/grafana_password')
})

test('only Caddy is public, and the trusted addresses are those of the network that it shares with zatgate', () => {
  const { zatgate, caddy, grafana } = compose.services
  const published = Object.entries<{ ports?: string[] }>(compose.services).filter(([, { ports }]) => ports)
  assert.deepEqual(
    published.map(([name]) => name),
    ['caddy', 'grafana'],
  )
  assert.deepEqual(grafana.ports, ['127.0.0.1:3030:3000'])
  const shared = caddy.networks.filter((name: string) => zatgate.networks.includes(name))
  assert.deepEqual(shared, ['front'])
  const inFront = Object.entries<{ networks?: string[] }>(compose.services).filter(([, { networks }]) =>
    networks?.includes('front'),
  )
  assert.equal(inFront.length, 2)
  assert.equal(environmentOf('zatgate').TRUST_PROXY, compose.networks.front.ipam.config[0].subnet)
  assert.match(deployText(`${FOLDER}/Caddyfile`), /@metrics path \/metrics\n\trespond @metrics 404\n/)
})

test('the profiles: without one there are zatgate, its backup and Caddy', () => {
  const profiles = Object.entries<{ profiles?: string[] }>(compose.services).map(([name, service]) => [
    name,
    service.profiles?.join() ?? '',
  ])
  assert.deepEqual(Object.fromEntries(profiles), {
    zatgate: '',
    backup: '',
    caddy: '',
    zebra: 'zebra',
    prometheus: 'monitoring',
    grafana: 'monitoring',
  })
})

test('Prometheus reads the port of the metrics with the token, and Grafana reads Prometheus', () => {
  const { rule_files, scrape_configs } = parse(deployText(`${FOLDER}/prometheus.yml`))
  const [{ job_name, authorization, static_configs }] = scrape_configs
  // The alert that zatgate is down names this job.
  assert.ok(deployText('prometheus/alerts.yml').includes(`up{job="${job_name}"}`))
  assert.deepEqual(static_configs, [{ targets: ['zatgate:3001'] }])
  const { prometheus, grafana, zatgate } = compose.services
  assert.ok(prometheus.volumes.includes(`../prometheus/alerts.yml:/etc/prometheus/${rule_files[0]}:ro`))
  assert.equal(authorization.credentials_file, `/run/secrets/${prometheus.secrets[0]}`)
  for (const service of [prometheus, grafana, zatgate]) assert.ok(service.networks.includes('monitoring'))
  const { datasources } = parse(deployText(`${FOLDER}/grafana/source.yaml`))
  assert.deepEqual([datasources[0].url, datasources[0].isDefault], ['http://prometheus:9090', true])
  const { path } = parse(deployText(`${FOLDER}/grafana/dashboards.yaml`)).providers[0].options
  assert.ok(grafana.volumes.includes(`../grafana/zatgate.json:${path}/zatgate.json:ro`))
})

test('promtool accepts the configuration', { skip: missingProgram('promtool') }, () => {
  const args = ['check', 'config', '--syntax-only', deployPath(`${FOLDER}/prometheus.yml`)]
  assert.equal(spawnSync('promtool', args).status, 0)
})

test('Caddy accepts its configuration', { skip: missingProgram('caddy') }, () => {
  const args = ['validate', '--adapter', 'caddyfile', '--config', deployPath(`${FOLDER}/Caddyfile`)]
  const env = { PATH: process.env.PATH, DOMAIN: 'pay.example.com', HOME: tmpdir() }
  assert.equal(spawnSync('caddy', args, { env }).status, 0)
})

const skip = missingProgram('bash') || missingProgram('openssl', 'version')

test('the commands of the guide write the secrets once, and zatgate starts and is backed up with them', {
  skip,
}, async t => {
  const sandbox = await startSandbox({ network: 'test' })
  t.after(() => sandbox.close())
  sandbox.chain.mine(12)
  const place = join(folder, 'deploy', FOLDER)
  cpSync(deployPath(FOLDER), place, { recursive: true, filter: path => !/\/(?:secrets|\.env)$/.test(path) })
  const [block] = blocksOf('docs/one-machine.md').filter(({ tag }) => tag === 'sh compose')
  const paste = () =>
    openShell(t, { folder, replace: { 'smtps://user:password@mail.example.com': sandbox.smtpUrl } }).run(
      block?.text ?? '',
    )
  await paste()
  const secret = (name: string) => readFileSync(join(place, 'secrets', name), 'utf8')
  const names = Object.keys(compose.secrets).sort()
  assert.deepEqual(readdirSync(join(place, 'secrets')).sort(), names)
  const written = names.map(secret)
  await paste()
  assert.deepEqual(names.map(secret), written)
  assert.equal(statSync(join(place, 'secrets')).mode & 0o777, 0o700)
  for (const name of names) assert.equal(statSync(join(place, 'secrets', name)).mode & 0o777, 0o644)
  assert.equal(readFileSync(join(place, '.env'), 'utf8'), deployText(`${FOLDER}/.env.example`))

  const data = join(folder, 'data')
  const values = { NETWORK: 'test', LIGHTWALLETD_URL: sandbox.lightwalletdUrl, LOG_LEVEL: 'silent' }
  const env = Object.fromEntries(
    Object.entries({ ...environmentOf('zatgate', values), DATA_DIR: data, PORT: '0' }).map(([name, value]) => [
      name,
      value.replace('/run/secrets', join(place, 'secrets')),
    ]),
  )
  assert.equal(loadConfig(env).warnings.length, 0)
  const service = await startProcess(env)
  t.after(() => service.kill())

  /** Runs the script of the backup until it would sleep. */
  const backUp = () => {
    const [script] = compose.services.backup.command as string[]
    const inPlace = (script ?? '')
      .replaceAll('$$', '$')
      .replaceAll('/data/', `${data}/`)
      .replaceAll('node bin/main.ts', `'${process.execPath}' '${COMMAND}'`)
      .replaceAll(/sleep (\d+)/g, 'echo "sleep $1"; exit')
    const args = [...(compose.services.backup.entrypoint.slice(1) as string[]), inPlace]
    return spawnSync('sh', args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' })
  }
  const backups = () => readdirSync(join(data, 'backups'))
  const isHealthy = () => {
    const check = compose.services.backup.healthcheck.test[1].replaceAll('/data/', `${data}/`)
    return spawnSync('sh', ['-c', check]).status === 0
  }
  const first = backUp()
  assert.match(first.stdout, /sleep 3600\n$/, first.stderr)
  const [today = '', ...others] = backups()
  assert.match(today, /^daily-\d{4}-\d\d-\d\d\.db$/)
  assert.deepEqual([others, isHealthy()], [[], true])
  // The same day again makes none.
  const { mtimeMs } = statSync(join(data, 'backups', today))
  assert.match(backUp().stdout, /^sleep 3600\n$/)
  assert.equal(statSync(join(data, 'backups', today)).mtimeMs, mtimeMs)
  // Another day's is kept for 30 days, and is not enough for the health check.
  const age = (days: number) => new Date(Date.now() - days * 86_400_000)
  for (const days of [2, 40]) {
    cpSync(join(data, 'backups', today), join(data, 'backups', `daily-${days}.db`))
    utimesSync(join(data, 'backups', `daily-${days}.db`), age(days), age(days))
  }
  backUp()
  assert.deepEqual(backups().sort(), ['daily-2.db', today].sort())
  rmSync(join(data, 'backups', today))
  assert.equal(isHealthy(), false)
  // Without a database it tries again in a minute.
  assert.equal(await service.stop(), 0)
  rmSync(join(data, 'zatgate.db'))
  assert.match(backUp().stdout, /sleep 60\n$/)
  assert.deepEqual(backups(), ['daily-2.db'])
})
