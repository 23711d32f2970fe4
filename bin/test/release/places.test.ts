import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setVersion, versionMentions } from '../../release/places.ts'
import { ROOT, temporaryFolder } from './throwaway.ts'

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Files in which the version of zatgate may stand for something else, each with the reason. */
const OTHER: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/(^|\/)(node_modules|dist|target|\.git)\//, 'is not part of the repository'],
  [/(^|\/)package(-lock)?\.json$/, 'other packages may have the same version; those of zatgate are compared'],
  [/(^|\/)(test|oracle|kernel)\//, 'tests and tools have their own versions'],
  [/^CHANGELOG\.md$/, 'names all versions'],
  [/^docs\/plugins\.md$/, 'names the versions of other clients'],
]

/** Has no binary files. */
const TEXT =
  /\.(?:cjs|css|example|gradle|js|json|md|mjs|php|proto|py|rs|service|sh|toml|ts|txt|xml|ya?ml)$|\/Dockerfile$/

test('every file that names the version names the same one', () => {
  const mentions = versionMentions(ROOT)
  assert.deepEqual(
    mentions.filter(({ version }) => version !== VERSION),
    [],
  )
  const files = new Set(mentions.map(({ file }) => file))
  for (const file of [
    'package.json',
    'package-lock.json',
    'packages/sdk/package.json',
    'deploy/helm/zatgate/Chart.yaml',
  ])
    assert.ok(files.has(file), file)
})

test('a release finds every file that names the version', t => {
  const files = globSync('{*,{.ci,bin,clients,deploy,docs,packages}/**/*}', { cwd: ROOT })
    .filter(file => TEXT.test(file))
    .filter(file => !OTHER.some(([pattern]) => pattern.test(file)))
  assert.ok(files.length > 300)
  const copy = temporaryFolder(t)
  const mentioned = versionMentions(ROOT).map(({ file }) => file)
  for (const file of new Set([...files, ...mentioned])) cpSync(join(ROOT, file), join(copy, file))
  const changed = setVersion(copy, '98.76.54')
  assert.deepEqual(changed, [...new Set(mentioned)].sort())
  const named = new RegExp(`(?<![\\w.])${VERSION.replaceAll('.', '\\.')}(?![\\w.]*\\w|-[a-z])`)
  const left = files.filter(file => named.test(readFileSync(join(copy, file), 'utf8')))
  assert.deepEqual(left, [], 'add these to the places in bin/release/places.ts')
  assert.ok(versionMentions(copy).every(({ version }) => version === '98.76.54'))
})
