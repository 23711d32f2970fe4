import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const FILES = [
  'package-lock.json',
  'bin/runtime/package-lock.json',
  '.ci/node/package-lock.json',
  'deploy/startos/package-lock.json',
  'packages/server/test/clients/greenfield/package-lock.json',
]

for (const file of FILES) {
  const { packages } = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
  // The hash of a package covers those bundled in it.
  const isDownloaded = ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.inBundle
  const downloaded = Object.entries(packages).filter(isDownloaded)

  test(`${file}: every package has a hash and comes from the registry`, () => {
    assert.ok(downloaded.length > 0)
    for (const [path, entry] of downloaded) {
      assert.match(entry.integrity ?? '', /^sha512-/, path)
      if (entry.resolved) assert.match(entry.resolved, /^https:\/\/registry\.npmjs\.org\//, path)
    }
  })

  test(`${file}: no package has an install script`, () => {
    const scripted = downloaded.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)
    assert.deepEqual(scripted, [])
  })
}
