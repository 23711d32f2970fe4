import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../shared/vectors/', import.meta.url)

/** For `test`'s `skip`: false where the official vectors lie beside the repository, else why nothing is tested. */
export const vectorsMissing = existsSync(FOLDER) ? false : 'the official vectors are not at ../shared/vectors'

/** A file of the official vectors. */
export function readVectors(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

/** The rows of a zcash-test-vectors table, without its two heading rows. */
export function vectorRows(name: string): unknown[][] {
  return (JSON.parse(readVectors(name)) as unknown[][]).slice(2)
}
