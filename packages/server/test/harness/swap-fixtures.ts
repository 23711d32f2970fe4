import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../../shared/fixtures/oneclick/', import.meta.url)

/** For `test`'s `skip`: false if the recorded responses are beside the repository, otherwise the reason to skip. */
export const fixturesMissing = existsSync(FOLDER)
  ? false
  : 'the recorded responses are not at ../shared/fixtures/oneclick'

/** A recorded response of the provider. */
export function recorded(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}
