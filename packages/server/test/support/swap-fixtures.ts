import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../../shared/fixtures/oneclick/', import.meta.url)

/** For `test`'s `skip`: false where the recorded answers lie beside the repository, else why nothing is tested. */
export const fixturesMissing = existsSync(FOLDER)
  ? false
  : 'the recorded answers are not at ../shared/fixtures/oneclick'

/** A recorded answer of the provider. */
export function recorded(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}
