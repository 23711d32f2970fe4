import { ReleaseError } from './error.ts'

const UNRELEASED = '## Unreleased\n'

/** The text below the heading Unreleased. @throws ReleaseError when there is no such heading or no entry */
export function unreleasedNotes(changelog: string): string {
  const [, rest] = split(changelog)
  const notes = rest.split(/^## /m)[0]?.trim() ?? ''
  if (!/^- /m.test(notes))
    throw new ReleaseError('CHANGELOG.md has no entries under Unreleased: there is nothing to release')
  return notes
}

/** The changelog with the entries under Unreleased moved to a section of the version. @param date YYYY-MM-DD */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  unreleasedNotes(changelog)
  const [before, rest] = split(changelog)
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')} `, 'm').test(changelog))
    throw new ReleaseError(`CHANGELOG.md has a section ${version} already`)
  return `${before}${UNRELEASED}\n## ${version} - ${date}\n${rest}`
}

function split(changelog: string): [string, string] {
  const [before, rest, ...more] = changelog.split(UNRELEASED)
  if (before === undefined || rest === undefined || more.length > 0)
    throw new ReleaseError(`CHANGELOG.md must have one line "${UNRELEASED.trim()}"`)
  return [before, rest]
}
