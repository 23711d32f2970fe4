import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../.ci/zebrad', import.meta.url))
const hasTools = existsSync('/bin/bash') && existsSync('/usr/bin/flock') && existsSync('/usr/bin/timeout')
const skip = !hasTools && 'bash, flock or timeout is not installed'
/** A cargo that notes its arguments and makes the program in the folder that they name. */
const CARGO = 'echo "$@" >>"$CALLS"; mkdir -p "$5/bin" "$CARGO_TARGET_DIR"; cp "$0" "$5/bin/zebrad"'
let folder

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zatgate-zebrad-'))
  mkdirSync(join(folder, 'bin'))
  program('dpkg-query', 'printf installed')
  program('apt-get', 'exit 100')
})
afterEach(() => rmSync(folder, { recursive: true }))

function program(name, commands) {
  const path = join(folder, 'bin', name)
  writeFileSync(path, `#!/bin/bash\n${commands}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Runs the script with an empty cache. Only the programs above and those of the system are on its PATH. */
async function zebrad(env = {}) {
  const child = spawn(SCRIPT, {
    env: {
      PATH: `${folder}/bin:/usr/bin:/bin`,
      XDG_CACHE_HOME: join(folder, 'cache'),
      CALLS: join(folder, 'calls'),
      ...env,
    },
  })
  const output = Promise.all([child.stdout, child.stderr].map(async stream => (await stream.toArray()).join('')))
  const status = await new Promise(resolve => child.on('exit', resolve))
  const [stdout, stderr] = await output
  return { status, stdout, stderr }
}

const built = () => join(folder, 'cache/zatgate/zebrad-7.0.0/bin/zebrad')
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

test('zebrad is built once by cargo with its lock file, also for two runs at once, and found later', {
  skip,
}, async () => {
  program('cargo', CARGO)
  const found = { status: 0, stdout: `${built()}\n`, stderr: '' }
  assert.deepEqual(await Promise.all([zebrad(), zebrad()]), [found, found])
  assert.deepEqual(calls(), [`install zebrad@7.0.0 --locked --root ${join(folder, 'cache/zatgate/zebrad-7.0.0')}`])
  assert.ok(!existsSync(join(folder, 'cache/zatgate/zebrad-7.0.0/target')), 'the objects of the build are removed')
  program('cargo', 'exit 1')
  assert.deepEqual(await zebrad(), found)
})

test('ZEBRAD_BIN is used as it is, and nothing is built in its place', { skip }, async () => {
  program('cargo', CARGO)
  const own = program('own', '')
  assert.deepEqual(await zebrad({ ZEBRAD_BIN: own }), { status: 0, stdout: `${own}\n`, stderr: '' })
  assert.deepEqual(await zebrad({ ZEBRAD_BIN: '/nonexistent' }), {
    status: 1,
    stdout: '',
    stderr: 'zebrad 7.0.0 is missing: ZEBRAD_BIN is not a program: /nonexistent\n',
  })
  assert.ok(!existsSync(join(folder, 'calls')))
})

test('a build that fails, hangs or makes nothing is reported in one line with its log', { skip }, async () => {
  const log = join(folder, 'cache/zatgate/zebrad-7.0.0/build.log')
  for (const [commands, reason, seconds] of [
    ['echo "error: no protoc"; exit 101', 'its build failed with status 101', '60'],
    ['sleep 60', 'its build was stopped after 1 s', '1'],
    ['true', `its build has not made ${built()}`, '60'],
  ]) {
    program('cargo', commands)
    const stderr = `zebrad 7.0.0 is missing: ${reason}, see ${log}\n`
    assert.deepEqual(await zebrad({ ZATGATE_CI_ZEBRAD_SECS: seconds }), { status: 1, stdout: '', stderr }, commands)
  }
  program('cargo', 'echo "error: no protoc"; exit 101')
  await zebrad()
  assert.equal(readFileSync(log, 'utf8'), 'error: no protoc\n')
})

test('Debian packages are installed only for a build, and one that cannot be installed is named', {
  skip,
}, async () => {
  program('cargo', CARGO)
  program('dpkg-query', '[[ $3 == cmake ]] || printf installed')
  const { status, stderr } = await zebrad()
  assert.equal(status, 1)
  assert.match(stderr, /^zebrad 7\.0\.0 is missing: its Debian packages \(cmake\) could not be installed, see \S+\n$/)
  program('apt-get', '[[ $1 == update || "$*" == *" cmake" ]]')
  assert.equal((await zebrad()).status, 0)
  program('apt-get', 'exit 100')
  assert.equal((await zebrad()).status, 0)
})
