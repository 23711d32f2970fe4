import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { releaseChangelog, unreleasedNotes } from '../../release/changelog.ts'
import { versionToRelease } from '../../release/version.ts'

test('the next version is a part increased, or the one that is named', () => {
  assert.equal(versionToRelease('1.4.9', true, 'patch'), '1.4.10')
  assert.equal(versionToRelease('1.4.9', true, 'minor'), '1.5.0')
  assert.equal(versionToRelease('1.4.9', true, 'major'), '2.0.0')
  assert.equal(versionToRelease('1.4.9', true, '1.10.0'), '1.10.0')
  assert.equal(versionToRelease('0.1.0', false, null), '0.1.0')
  assert.equal(versionToRelease('0.1.0', false, '0.1.0'), '0.1.0')
})

test('a version that is not newer, or is not a version, is refused with what would be right', () => {
  for (const requested of ['1.4.9', '1.4.8', '1.3.10', '0.9.9'])
    assert.throws(() => versionToRelease('1.4.9', true, requested), /must be newer than 1\.4\.9/)
  for (const requested of ['v1.5.0', '1.5', '1.5.0-rc.1', '01.5.0', 'big', ''])
    assert.throws(() => versionToRelease('1.4.9', true, requested), /must be X\.Y\.Z, patch, minor or major/)
  assert.throws(() => versionToRelease('1.4.9', true, null), /1\.4\.9 is released already/)
})

test('the entries under Unreleased become a section, and an empty one stays', () => {
  const earlier = '## 0.1.0 - 2026-11-01\n\n- The first version.\n'
  const changelog = `# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A defect.\n\n${earlier}`
  assert.equal(unreleasedNotes(changelog), '### Fixed\n\n- A defect.')
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-24')
  assert.equal(
    released,
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n### Fixed\n\n- A defect.\n\n${earlier}`,
  )
  assert.throws(() => releaseChangelog(released, '0.3.0', '2026-11-25'), /no entries under Unreleased/)
  assert.throws(() => releaseChangelog(changelog, '0.1.0', '2026-11-24'), /a section 0\.1\.0 already/)
  assert.throws(() => unreleasedNotes('# Changelog\n'), /must have one line "## Unreleased"/)
})

test('the changelog has the headings of Keep a Changelog, and each entry once', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
  const kinds = changelog.match(/^### .*$/gm) ?? []
  assert.ok(kinds.length > 0)
  for (const kind of kinds) assert.match(kind, /^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/)
  for (const section of changelog.split(/^## /m)) {
    const entries = section.match(/^- .*$/gm) ?? []
    assert.deepEqual(entries, [...new Set(entries)])
    const headings = section.match(/^### .*$/gm) ?? []
    assert.deepEqual(headings, [...new Set(headings)])
  }
})
