import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Sandbox, startSandbox } from '@zatgate/sandbox/sandbox'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { blocksOf, ROOT } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { startProcess } from '../harness/service-process.ts'
import { openShell, replaceAll } from '../harness/shell.ts'
import { until } from '../harness/until.ts'
import { checkDockerBlock } from './checked-commands.ts'

const BLOCKS = blocksOf('docs/one-machine.md')
const skip = missingProgram('bash') || missingProgram('git') || missingProgram('openssl', 'version')

/** Where the guide writes outside of the checkout. */
const PLACES = [
  '/opt/zatgate',
  '/etc/zatgate',
  '/var/lib/zatgate',
  '/usr/lib/sysusers.d',
  '/etc/systemd/system',
  '/usr/local/bin',
]

/** Commands that the machine of the tests lacks or must not run: become root, start units, download, and change users. */
const STAND_INS = {
  sudo: 'exec "$@"',
  systemctl: 'echo "systemctl $*" >> "$CALLS"',
  'systemd-sysusers': 'echo "systemd-sysusers" >> "$CALLS"',
  journalctl: 'true',
  npm: 'echo "npm $*" >> "$CALLS"; ln -sfn "$CHECKOUT/node_modules" "$3/node_modules"',
  id: 'echo 0',
  setpriv: 'while case $1 in --*) true ;; *) false ;; esac; do shift; done; exec "$@"',
  install: `for word do shift; case $word in -o | -g) skip=1 ;; *) [ "\${skip:-}" ] || set -- "$@" "$word"; skip= ;; esac; done
/usr/bin/install "$@" && case $word in */bin/zatgate) sed -i -f "$RELOCATION" "$word" ;; esac`,
}

/** A folder that stands for the root of a machine. */
function openMachine(t: TestContext, sandbox: Sandbox) {
  const root = temporaryFolder(stackOf(t))
  for (const folder of ['bin', 'usr/local/bin', 'usr/lib/sysusers.d', 'etc/systemd/system', 'var/lib/zatgate'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
  for (const [name, script] of Object.entries(STAND_INS))
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const places = {
    ...Object.fromEntries(PLACES.map(path => [path, `${root}${path}`])),
    '/usr/bin/node': process.execPath,
  }
  const relocate = (text: string) => replaceAll(text, places)
  const lines = Object.entries(places).map(([from, to]) => `s|${from}|${to}|g\n`)
  writeFileSync(join(root, 'relocation'), lines.join(''))
  writeFileSync(join(root, 'calls'), '')
  const shell = openShell(t, {
    folder: ROOT,
    env: {
      // The checkout may belong to another user.
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
      ...{ CALLS: join(root, 'calls'), RELOCATION: join(root, 'relocation'), CHECKOUT: ROOT },
    },
    programs: [join(root, 'bin'), join(root, 'usr/local/bin')],
    replace: {
      ...places,
      'NETWORK=main': 'NETWORK=test',
      'http://127.0.0.1:9067,https://zec.rocks:443': sandbox.lightwalletdUrl,
      'smtps://user:password@mail.example.com': sandbox.smtpUrl,
    },
  })
  return {
    root,
    relocate,
    run: (commands: string) => shell.run(commands),
    calls: () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n'),
    async paste(text: string): Promise<string> {
      const [block, ...others] = BLOCKS.filter(({ tag, text: all }) => tag === 'sh systemd' && all.includes(text))
      assert.ok(block && others.length === 0, `not exactly one block with ${text}`)
      return shell.run(block.text)
    },
  }
}

/** Lines `NAME=value` of a file. */
function variables(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)]
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
}

/** The environment that systemd gives to the service of the unit. */
function unitEnvironment(root: string, relocate: (text: string) => string): Record<string, string> {
  const unit = relocate(readFileSync(join(root, 'etc/systemd/system/zatgate.service'), 'utf8'))
  const [, file = ''] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? []
  const own = variables([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line]) => line).join('\n'))
  const credentials = [...unit.matchAll(/^LoadCredential=(\w+):(.*)$/gm)].map(([, name = '', path = '']) => [
    name,
    path,
  ])
  const paths = Object.fromEntries(credentials.map(([name, path]) => [`%d/${name}`, path]))
  return Object.fromEntries(
    Object.entries({ ...own, ...variables(readFileSync(file, 'utf8')) }).map(([k, v]) => [k, paths[v] ?? v]),
  )
}

test('the commands for systemd install zatgate, back it up, restore and update it, as pasted', { skip }, async t => {
  const sandbox = await startSandbox({ network: 'test' })
  t.after(() => sandbox.close())
  sandbox.chain.mine(12)
  const { root, relocate, run, paste, calls } = openMachine(t, sandbox)
  await paste('sysusers.conf')
  await paste('zatgate.env > /dev/null')
  await paste('enable --now zatgate\n')
  assert.deepEqual(calls().slice(1), ['systemd-sysusers', 'systemctl daemon-reload', 'systemctl enable --now zatgate'])

  const env = { ...unitEnvironment(root, relocate), PORT: String(await freePort()), LOG_LEVEL: 'silent' }
  const start = () => startProcess(env)
  let service = await start()
  t.after(() => service.kill())
  const output = await paste('zatgate.sh')
  assert.match(output, /^ok {7}database: sqlite opens and its secrets decrypt/m)
  assert.match(output, /^shop@example\.com can sign in$/m)

  const token = (await run('zatgate session create --email shop@example.com')).trim()
  const set = await fetch(`${service.url}/v1/account/viewing-key`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ viewing_key: sandbox.demoViewingKey }),
  })
  assert.equal(set.status, 200)

  await paste('zatgate backup "')
  await paste('zatgate-backup.timer')
  assert.equal(calls().at(-1), 'systemctl enable --now zatgate-backup.timer')
  assert.equal(await service.stop(), 0)
  await paste('db-wal')
  assert.match(await run('zatgate doctor'), /the next start advances the address counters/)
  service = await start()
  const ready = async () => ((await (await fetch(`${service.url}/readyz`)).json()) as { ready: boolean }).ready
  await until('the restored service', ready, 60_000)
  assert.match(await paste('systemctl stop zatgate\ngit archive'), /^ok {7}address counters: consistent/m)
})

for (const { text } of BLOCKS.filter(({ tag }) => tag === 'sh docker'))
  test(
    `Docker: ${text.split('\n', 1)[0]} and what follows names files, services and versions that exist`,
    { skip },
    () => checkDockerBlock(text, 'one-machine/compose.yaml'),
  )

test('Caddy accepts the configuration of the guide', { skip: missingProgram('caddy', 'version') }, async t => {
  const folder = temporaryFolder(stackOf(t))
  const [block] = BLOCKS.filter(({ tag }) => tag === 'caddy Caddyfile')
  writeFileSync(join(folder, 'Caddyfile'), block?.text ?? '')
  await openShell(t, { folder }).run(
    'caddy fmt --diff Caddyfile > /dev/null && caddy validate --config Caddyfile 2>/dev/null',
  )
})

test('every block of the guide has a test', () => {
  const tags = new Set(BLOCKS.map(({ tag }) => tag))
  assert.deepEqual([...tags].sort(), [
    'caddy Caddyfile',
    'sh compose',
    'sh docker',
    'sh node',
    'sh proxy',
    'sh systemd',
  ])
})
