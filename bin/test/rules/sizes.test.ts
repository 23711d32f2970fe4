import { test } from 'node:test'
import { none, sources } from './sources.ts'

const MAX_SOURCE_LINES = 300
const MAX_TEST_LINES = 400

/** Files that may be longer, each with its reason. */
const LONG: Readonly<Record<string, string>> = {
  'packages/sdk/src/wire.ts': 'a list of types: the whole wire format in one place',
  'packages/server/src/config/setting-table.ts': 'a list: every setting in one place',
  'packages/server/src/domain/error-table.ts': 'a list: every error in one place',
  'packages/server/src/store/tables.ts': 'a list of types: every table in one place',
  'packages/server/test/adapters/lightwalletd/chain.test.ts': 'one harness of faulty servers for all tests',
  'packages/server/test/store/repository/notify/webhook.suite.ts': 'one subject: the delivery contract of the store',
  'packages/server/test/workers/chain/decisions.test.ts': 'one subject: how a payment is decided',
  'packages/server/test/workers/chain/reorganisations.test.ts': 'one subject: reorganisations',
  'packages/server/test/workers/notify/delivery/delivery.test.ts': 'one harness of receivers for all tests',
}

test('no file is too long', () => {
  const lengths = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  const isTooLong = ({ path, lines }: { path: string; lines: number }) =>
    lines > (/\/(?:test|bench|attack)\//.test(path) ? MAX_TEST_LINES : MAX_SOURCE_LINES)
  const unneeded = lengths.filter(item => LONG[item.path] !== undefined && !isTooLong(item))
  none(
    lengths
      .filter(item => LONG[item.path] === undefined && isTooLong(item))
      .map(({ path, lines }) => `${path} ${lines}`),
  )
  none(unneeded.map(({ path }) => path))
})
