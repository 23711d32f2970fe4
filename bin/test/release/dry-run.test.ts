import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { findPostgres, NO_POSTGRES } from '../../../packages/server/test/harness/postgres.ts'
import { leftOut } from '../../../packages/zcash/test/left-out.ts'
import { copyOfCheckout, ROOT, stateOf, temporaryFolder } from './throwaway.ts'

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A feature.\n'

const skip = leftOut('release') || (findPostgres() === null && NO_POSTGRES)

test('a dry release builds everything from a copy of this checkout, which stays as it is', { skip }, async t => {
  const root = copyOfCheckout(t, CHANGELOG)
  const before = stateOf(root)
  const out = join(temporaryFolder(t), 'artefacts')
  const args = ['bin/run.mjs', 'release', '--dry', '--version', 'minor', '--out', out]
  // Without this variable the release can run tests inside this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
  assert.equal(stateOf(root), before)
  const [version = ''] = /(?<=^zatgate )\S+/.exec(stdout) ?? []
  assert.notEqual(version, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)

  assert.match(stdout, /which passes \d\d upgrade tests/)
  const artefacts = readdirSync(out).filter(name => !name.endsWith('-image.tar'))
  const expected = [`zatgate-${version}.cdx.json`, `zatgate-${version}.tar.gz`]
  const packages = [`zatgate-sdk-${version}.tgz`, `zatgate-zcash-${version}.tgz`]
  assert.deepEqual(artefacts.sort(), ['SHA256SUMS', ...expected, ...packages])
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out })
  for (const line of readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [sha256 = '', name = ''] = line.split('  ')
    assert.match(stdout, new RegExp(`${name} +\\d+ bytes {2}${sha256}`))
  }

  const fileIn = (archive: string, path: string) =>
    execFileSync('tar', ['xzOf', join(out, archive), path], { encoding: 'utf8' })
  for (const name of packages) assert.equal(JSON.parse(fileIn(name, 'package/package.json')).version, version)
  const source = (path: string) => fileIn(`zatgate-${version}.tar.gz`, `zatgate-${version}/${path}`)
  assert.match(source('CHANGELOG.md'), new RegExp(`## Unreleased\n\n## ${version} - \\d{4}-\\d\\d-\\d\\d\n\n### Added`))
  assert.equal(JSON.parse(source('packages/server/package.json')).version, version)
  for (const engine of ['sqlite', 'postgres'])
    assert.match(source(`packages/server/test/upgrade/fixtures/${version}/${engine}/database.sql`), /INSERT INTO/)
  const sbom = JSON.parse(readFileSync(join(out, `zatgate-${version}.cdx.json`), 'utf8'))
  assert.equal(sbom.metadata.component.version, version)
  assert.ok(sbom.components.length > 50)
  assert.ok(gunzipSync(readFileSync(join(out, `zatgate-${version}.tar.gz`))).length > 1_000_000)
  assert.match(stdout, new RegExp(`npm publish --provenance --access public ${out}/zatgate-sdk-${version}\\.tgz`))
})
