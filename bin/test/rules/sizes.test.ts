import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

const MAX_SOURCE_LINES = 300
const MAX_TEST_LINES = 400

/** Files that may be longer, each with its reason. */
const LONG: Readonly<Record<string, string>> = {
  'packages/sdk/src/wire.ts': 'a list of types: the whole wire format in one place',
  'packages/server/mutants/list.ts': 'a list of changes',
}

test('no file is too long', () => {
  const lengths = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  const isTooLong = ({ path, lines }: { path: string; lines: number }) =>
    lines > (/\/(?:test|bench)\//.test(path) ? MAX_TEST_LINES : MAX_SOURCE_LINES)
  const unneeded = lengths.filter(item => LONG[item.path] !== undefined && !isTooLong(item))
  assert.deepEqual(
    lengths
      .filter(item => LONG[item.path] === undefined && isTooLong(item))
      .map(({ path, lines }) => `${path} ${lines}`),
    [],
  )
  assert.deepEqual(
    unneeded.map(({ path }) => path),
    [],
  )
})
