import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Step } from '../../release/artefacts.ts'
import { type Released, type ReleaseOptions, release } from '../../release/release.ts'
import { git, smallRepository, stateOf, temporaryFolder } from './throwaway.ts'

const prepare: Step = async ({ clone, version }) => {
  mkdirSync(join(clone, 'recorded'))
  writeFileSync(join(clone, 'recorded/database.sql'), version)
  return 'recorded'
}

const build: Step = async ({ out, version }) => {
  writeFileSync(join(out, `zatgate-${version}.txt`), 'an artefact')
  return 'built'
}

/** No run, also one that fails, leaves a temporary folder. */
let temporary: string
const systemTemporary = process.env.TMPDIR
before(() => {
  temporary = mkdtempSync(join(tmpdir(), 'zatgate-release-test-'))
  process.env.TMPDIR = temporary
})
after(() => {
  if (systemTemporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = systemTemporary
  const left = readdirSync(temporary)
  rmSync(temporary, { recursive: true, force: true })
  assert.deepEqual(left, [])
})

async function run(root: string, options: Partial<ReleaseOptions> = {}): Promise<Released & { printed: string }> {
  const lines: string[] = []
  const released = await release({
    ...{ root, requested: 'minor', isDry: false, out: null, date: '2026-11-24' },
    ...{ prepare: [prepare], build: [build], print: line => void lines.push(line) },
    ...options,
  })
  return { ...released, printed: lines.join('\n') }
}

test('a release commits the version and the changelog, tags the commit, and keeps the artefacts and their checksums', async t => {
  const root = smallRepository(t)
  const before = git(root, 'rev-parse', 'HEAD')
  const { version, out, artefacts } = await run(root)
  assert.deepEqual([version, out], ['0.2.0', join(root, 'release/0.2.0')])
  assert.equal(git(root, 'rev-parse', 'HEAD~1'), before)
  assert.equal(git(root, 'rev-parse', 'HEAD'), git(root, 'rev-parse', 'v0.2.0^{commit}'))
  assert.equal(git(root, 'cat-file', '-t', 'v0.2.0'), 'tag')
  assert.match(
    git(root, 'tag', '--list', '--format=%(contents)', 'v0.2.0'),
    /^zatgate 0\.2\.0\n\n### Added\n\n- A feature\.$/,
  )
  assert.equal(git(root, 'status', '--porcelain'), '')
  assert.equal(git(root, 'log', '-1', '--format=%an <%ae> %s'), 'Release Test <release@example.org> zatgate 0.2.0')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  for (const file of ['package.json', 'packages/sdk/package.json'])
    assert.equal(JSON.parse(read(file)).version, '0.2.0')
  assert.equal(read('docs/deploy.md'), 'docker run zatgate:0.2.0\n')
  assert.equal(read('recorded/database.sql'), '0.2.0')
  assert.equal(
    read('CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n### Added\n\n- A feature.\n',
  )
  const sha256 = createHash('sha256').update('an artefact').digest('hex')
  assert.deepEqual(artefacts, [{ name: 'zatgate-0.2.0.txt', bytes: 11, sha256 }])
  assert.equal(read('release/0.2.0/SHA256SUMS'), `${sha256}  zatgate-0.2.0.txt\n`)
})

test('a dry run changes nothing in the checkout', async t => {
  const root = smallRepository(t)
  const before = stateOf(root)
  const { out, artefacts, printed } = await run(root, { isDry: true })
  assert.deepEqual([out, artefacts.map(({ name }) => name)], [null, ['zatgate-0.2.0.txt']])
  assert.match(printed, /would commit and tag v0\.2\.0/)
  assert.equal(stateOf(root), before)
  const kept = join(temporaryFolder(t), 'artefacts')
  await run(root, { isDry: true, out: kept })
  assert.deepEqual(readdirSync(kept).sort(), ['SHA256SUMS', 'zatgate-0.2.0.txt'])
  assert.equal(stateOf(root), before)
})

for (const [name, steps] of [
  ['before the commit', 'prepare'],
  ['after the tag', 'build'],
] as const)
  test(`a step that fails ${name} leaves no commit, tag or artefact`, async t => {
    const root = smallRepository(t)
    const before = stateOf(root)
    const out = temporaryFolder(t)
    const failing: Step = async step => {
      await build(step)
      throw new Error('no space left')
    }
    await assert.rejects(run(root, { [steps]: [failing] }), /no space left/)
    await assert.rejects(run(root, { [steps]: [failing], out }), /no space left/)
    assert.deepEqual(readdirSync(out), [])
    assert.equal(stateOf(root), before)
  })

test('a checkout that changes meanwhile gets neither the commit nor the tag', async t => {
  const root = smallRepository(t)
  const edit: Step = async () => {
    writeFileSync(join(root, 'docs/deploy.md'), 'edited')
    return 'edited'
  }
  await assert.rejects(run(root, { build: [edit] }), /uncommitted changes.*docs\/deploy\.md/s)
  assert.equal(git(root, 'tag', '--list'), '')
  git(root, 'commit', '--quiet', '--all', '--message', 'An edit')
  const commit: Step = async () => {
    git(root, 'commit', '--quiet', '--allow-empty', '--message', 'Another edit')
    return 'committed'
  }
  await assert.rejects(run(root, { build: [commit] }), /the checkout has changed/)
  assert.equal(git(root, 'tag', '--list'), '')
  assert.equal(git(root, 'log', '-1', '--format=%s'), 'Another edit')
})

test('a release is refused with uncommitted changes, on another branch, without entries, and twice', async t => {
  const root = smallRepository(t)
  writeFileSync(join(root, 'new.txt'), '')
  await assert.rejects(run(root), /uncommitted changes: commit or remove them first\n {2}\?\? new\.txt$/)
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'A file')
  git(root, 'checkout', '--quiet', '-b', 'feature')
  await assert.rejects(run(root), /the branch is feature: a release is made on main/)
  assert.match((await run(root, { isDry: true })).printed, /^note: the branch is feature/)
  git(root, 'checkout', '--quiet', 'main')
  const full = join(temporaryFolder(t), 'full')
  mkdirSync(join(full, 'x'), { recursive: true })
  await assert.rejects(run(root, { out: full }), /is not empty/)

  await run(root, { requested: null })
  assert.equal(git(root, 'tag', '--list'), 'v0.1.0')
  await assert.rejects(run(root, { requested: null }), /0\.1\.0 is released already/)
  await assert.rejects(run(root, { requested: '0.1.0' }), /must be newer than 0\.1\.0/)
  await assert.rejects(run(root), /no entries under Unreleased/)
  git(root, 'tag', 'v0.2.0')
  await assert.rejects(run(root), /the tag v0\.2\.0 exists already/)
})
