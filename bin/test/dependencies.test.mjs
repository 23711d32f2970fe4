import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  auditResult,
  licenceProblems,
  oldNodeProblem,
  pinnedNode,
  productionPackages,
  sbomProblems,
  withoutTools,
} from '../../.ci/dependencies.mjs'
import { isSupported } from '../launcher/runtime.mjs'

const LOCK = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))

const lockOf = license => ({
  packages: { '': {}, 'node_modules/ink': { version: '1.0.0', license }, 'node_modules/tool': { dev: true } },
})

test('every locked production dependency has an allowed licence', () => {
  assert.ok(productionPackages(LOCK).length > 50)
  assert.deepEqual(licenceProblems(LOCK), [])
})

test('the image is the same on amd64 and arm64: no production dependency is for one platform or contains machine code', () => {
  for (const [path, entry] of productionPackages(LOCK)) {
    for (const field of ['cpu', 'os', 'libc']) assert.equal(entry[field], undefined, `${path}: ${field}`)
    const folder = new URL(`../../${path}/`, import.meta.url)
    if (!entry.optional) assert.deepEqual(globSync('**/*.{node,so,dylib,dll}', { cwd: folder }), [], path)
  }
})

test('a licence is judged by its parts, and a missing one is a problem; development tools are not judged', () => {
  for (const allowed of ['MIT', '(MIT OR GPL-3.0)', '(Apache-2.0 AND BSD-3-Clause)'])
    assert.deepEqual(licenceProblems(lockOf(allowed)), [], allowed)
  for (const refused of ['GPL-3.0', '(MIT AND GPL-3.0)', 'SEE LICENSE IN FILE', undefined])
    assert.deepEqual(licenceProblems(lockOf(refused)), [`node_modules/ink: licence ${refused ?? 'none'}`])
})

test('advisories are listed, and a registry without an answer is skipped with the reason', () => {
  const via = ['well', { title: 'leaks', url: 'https://advisories.example/1' }]
  const found = { vulnerabilities: { ink: { name: 'ink', severity: 'high', via } }, metadata: {} }
  assert.deepEqual(auditResult(JSON.stringify(found)), {
    skipped: null,
    advisories: ['ink: high: through well; leaks https://advisories.example/1'],
  })
  const clean = JSON.stringify({ vulnerabilities: {}, metadata: {} })
  assert.deepEqual(auditResult(clean), { skipped: null, advisories: [] })
  const refused = JSON.stringify({ message: '405 Method Not Allowed', error: { summary: '' } })
  assert.deepEqual(auditResult(refused), { skipped: '405 Method Not Allowed', advisories: [] })
  assert.deepEqual(auditResult(''), { skipped: 'npm audit printed no JSON', advisories: [] })
})

test('the list of components has every locked package of the service in its version, and no development tool', () => {
  const lock = lockOf('MIT')
  lock.packages['node_modules/tool'].version = '3.0.0'
  const sbom = version => ({
    components: ['ink@1.0.0', 'tool@3.0.0'].map(name => ({
      'bom-ref': name,
      purl: `pkg:npm/${name.replace('ink@1.0.0', `ink@${version}`)}`,
    })),
    dependencies: [
      { ref: 'ink@1.0.0', dependsOn: ['tool@3.0.0'] },
      { ref: 'tool@3.0.0', dependsOn: [] },
    ],
  })
  const kept = withoutTools(sbom('1.0.0'), lock)
  assert.deepEqual(kept.components, [{ 'bom-ref': 'ink@1.0.0', purl: 'pkg:npm/ink@1.0.0' }])
  assert.deepEqual(kept.dependencies, [{ ref: 'ink@1.0.0', dependsOn: [] }])
  assert.deepEqual(sbomProblems(kept, lock), [])
  assert.deepEqual(sbomProblems(sbom('2.0.0'), lock), ['pkg:npm/ink@1.0.0 is not listed'])
})

test('the image pins one supported Node, by version and digest', () => {
  const dockerfile = readFileSync(new URL('../../deploy/docker/Dockerfile', import.meta.url), 'utf8')
  assert.ok(isSupported(pinnedNode(dockerfile)))
  const digest = `@sha256:${'0'.repeat(64)}`
  assert.throws(() => pinnedNode('FROM node:24.21-bookworm-slim'), /no exact version with a digest/)
  assert.throws(() => pinnedNode('FROM node:24.21.0-bookworm-slim'), /no exact version with a digest/)
  assert.throws(() => pinnedNode(`FROM node:24.21.0-slim${digest}\nFROM node:24.20.0-slim${digest}`), /different/)
})

test('the Node of the image is too old when a newer release of its line has been out for 30 days', () => {
  const releases = { '24.9.0': '2025-09-01', '24.21.0': '2026-09-10', '24.22.0': '2026-10-01', '26.1.0': '2026-05-01' }
  const at = date => Date.parse(date)
  assert.equal(oldNodeProblem('24.21.0', releases, at('2026-10-30')), null)
  assert.match(oldNodeProblem('24.21.0', releases, at('2026-11-02')), /has Node 24\.21\.0, but 24\.22\.0 is out since/)
  assert.match(oldNodeProblem('24.9.0', releases, at('2026-10-30')), /24\.21\.0 is out .* take 24\.22\.0/)
  assert.equal(oldNodeProblem('24.22.0', releases, at('2030-01-01')), null)
  assert.equal(oldNodeProblem('24.21.0', {}, at('2030-01-01')), null)
})
