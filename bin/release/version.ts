import { ReleaseError } from './error.ts'

const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/
const PARTS = ['major', 'minor', 'patch']
const EXPECTED = 'X.Y.Z, patch, minor or major'

/**
 * The version to release.
 * @param current that of `package.json`  @param isReleased whether it has a tag
 * @param requested `X.Y.Z`, a part to increase, or null for the current version if that is not released yet
 * @throws ReleaseError when it is not valid or not newer
 */
export function versionToRelease(current: string, isReleased: boolean, requested: string | null): string {
  if (requested === null) {
    if (!isReleased) return current
    throw new ReleaseError(`${current} is released already: name the next version with --version ${EXPECTED}`, 2)
  }
  const part = PARTS.indexOf(requested)
  if (part >= 0)
    return parse(current)
      .map((number, index) => (index < part ? number : index === part ? number + 1 : 0))
      .join('.')
  if (!VERSION.test(requested)) throw new ReleaseError(`--version ${requested} is invalid: it must be ${EXPECTED}`, 2)
  const order = compare(parse(requested), parse(current))
  if (order < 0 || (order === 0 && isReleased))
    throw new ReleaseError(`--version ${requested} is invalid: it must be newer than ${current}`, 2)
  return requested
}

function parse(version: string): number[] {
  return version.split('.').map(Number)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((number, at) => number !== b[at])
  return index < 0 ? 0 : (a[index] as number) - (b[index] as number)
}
