import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type MessageCall, messagesIn, textsIn } from './source-messages.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')

const SERVER = 'packages/server/src'
const sourcesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT }).map(path => readFileSync(join(ROOT, path), 'utf8'))

const ERRORS: readonly MessageCall[] = [
  { call: /new Error\(/, argument: 0 },
  { call: /super\(/, argument: 0 },
]

/** The messages that users may meet without knowing what to do: where they come from, and their section of the page. */
const PLACES: readonly { section: string; messages: readonly string[] }[] = [
  {
    section: 'npm and the first start',
    messages: sourcesOf('bin/launcher/*.mjs').flatMap(source => [
      ...messagesIn(source, [{ call: /new LaunchError\(/, argument: 0 }]),
      ...textsIn(source).filter(text => /^npm (?:was|could) not .*then start again\.$/.test(text)),
    ]),
  },
  {
    section: 'Start of the service, and commands',
    messages: [
      ...sourcesOf(
        `${SERVER}/config/{settings,setting-reader}.ts`,
        `${SERVER}/store/{open,open-error,migrate}.ts`,
        `${SERVER}/store/sqlite/process-lock.ts`,
        `${SERVER}/adapters/system/data-dir.ts`,
        `${SERVER}/adapters/crypto/vault.ts`,
        `${SERVER}/services/account/operator.ts`,
        `${SERVER}/main.ts`,
        `${SERVER}/cli/*.ts`,
        `${SERVER}/cli/commands/{chain,rescan,rotate-encryption-key,start,try,withdrawal}.ts`,
        `${SERVER}/workers/chain/rescan.ts`,
      ).flatMap(source =>
        messagesIn(source, [
          ...ERRORS,
          { call: /\bproblem(?:s\.push)?\(/, argument: 0 },
          { call: /\bstoppable\(/, argument: 0 },
        ]),
      ),
      ...sourcesOf(`${SERVER}/http/listen-error.ts`)
        .flatMap(textsIn)
        .filter(text => / is …, which /.test(text)),
    ],
  },
  {
    section: 'doctor',
    messages: sourcesOf(`${SERVER}/cli/commands/doctor*.ts`).flatMap(source => [
      ...messagesIn(source, [{ call: /\b(?:runCheck|wrong|skipped)\(/, argument: 0 }]),
      ...[...source.matchAll(/\bcheck: '([^']+)'|const (?:check|[A-Z_]+) = '([^']+)'/g)].map(
        ([, a, b]) => a ?? b ?? '',
      ),
    ]),
  },
  {
    section: 'The log',
    messages: [
      ...sourcesOf(`${SERVER}/**/*.ts`).flatMap(source =>
        messagesIn(source, [{ call: /\blog(?:ger)?(?:\.(?:warn|error)|\[[^(]*\])\(/, argument: 1 }]),
      ),
      ...sourcesOf(`${SERVER}/domain/chain/chain-problem.ts`)
        .flatMap(textsIn)
        .filter(text => text.includes(' ')),
      ...sourcesOf(`${SERVER}/workers/chain/{blocks,block-batch}.ts`).flatMap(source => messagesIn(source, ERRORS)),
    ],
  },
  {
    section: 'The log of webhook deliveries',
    messages: [
      ...sourcesOf(`${SERVER}/adapters/http-client/*.ts`).flatMap(source =>
        messagesIn(source, [{ call: /new HttpClientError\(/, argument: 1 }]),
      ),
      ...sourcesOf(`${SERVER}/services/notify/delivery.ts`)
        .flatMap(textsIn)
        .filter(text => text.startsWith('answered')),
    ],
  },
]

/** Messages that already say what to do, by section. */
const CLEAR: Readonly<Record<string, readonly string[]>> = {
  'npm and the first start': [
    'the installation was stopped; the next start repeats it.',
    '… cannot be started: …',
    'no file in … has … in its path…',
  ],
  'Start of the service, and commands': [
    'the settings name no network: the sandbox completes them before the service starts',
    'block … does not follow the previous block: …',
    'stopped before the database was opened',
    'stopped before block …: the payments found so far are recorded; to go on: zatgate rescan --from …',
    'ENCRYPTION_KEY is not set, and this DATA_DIR has no key of a sandbox',
    '… is not set',
    '… needs NETWORK and LIGHTWALLETD_URL',
    'the server did not return block …',
    'ENCRYPTION_KEY holds one key: set it to the new key, a comma and the old key, restart the service with it, run this command, then remove the old key',
    'the sandbox is not installed',
    'the database URL must be sqlite:<path> or postgres://…',
    'sqlite:<path> must name a file, such as sqlite:./data/zatgate.db',
    '… is set, but NETWORK is …: unset it; the heights of public networks are built in',
    'REGTEST_NU63_HEIGHT is …, but its old name SANDBOX_NU63_HEIGHT is …: set only REGTEST_NU63_HEIGHT',
    '… is set, but SWAP_API_URL is not: set both or neither',
    '… and …_FILE are both set: set only one of them',
    '…_FILE is …, which is empty',
  ],
  doctor: ['chain source'],
  'The log': ['spans could not be sent to the collector of traces'],
  'The log of webhook deliveries': ['the request was aborted', 'not an absolute URL'],
}

const PAGES = [
  ...sourcesOf(`${SERVER}/web/{pages,components}/**/*.ts`),
  // Stars mark what is strong.
  ...sourcesOf(`${SERVER}/web/text/en/*.ts`).map(source => source.replaceAll('*', '')),
]

/** Parts of messages that are no messages. */
const PARTS = ['', 'ENOENT', 'invalid settings:n${problems.map(problem => ', ").join('n')}"]

/** The first cell of each row of a section. */
function rowsOf(section: string): string[] {
  const [, text = ''] = PAGE.split(`\n## ${section}\n`)
  const [own = ''] = text.split('\n## ')
  return [...own.matchAll(/^\| (`+) ?(.+?) ?\1 \|/gm)].map(([, , message]) => message as string)
}

for (const { section, messages } of PLACES) {
  const known = new Set(messages.filter(message => !PARTS.includes(message)))
  const clear = CLEAR[section] ?? []

  test(`${section}: each message of the sources is explained, or says itself what to do`, () => {
    const explained = new Set([...rowsOf(section), ...clear])
    assert.deepEqual(
      [...known].filter(message => !explained.has(message)),
      [],
    )
  })

  test(`${section}: no message is listed as clear that is explained, or that is in no source`, () => {
    const explained = rowsOf(section)
    assert.deepEqual(
      clear.filter(message => explained.includes(message) || !known.has(message)),
      [],
    )
  })
}

/** Whether the fixed parts of a message are in the templates of the pages, which contain other templates. */
function isOnPages(message: string): boolean {
  return message.split('…').every(part => PAGES.some(source => source.includes(part)))
}

test('each message of the page is in the sources, once in the page', () => {
  const texts = new Set([
    ...sourcesOf('packages/*/src/**/*.ts', 'bin/launcher/*.mjs').flatMap(textsIn),
    ...PLACES.flatMap(({ messages }) => messages),
  ])
  const sections = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, name]) => name as string)
  for (const section of sections) {
    const rows = rowsOf(section)
    assert.ok(rows.length > 2, section)
    const isKnown = section === 'The checkout' ? isOnPages : (message: string) => texts.has(message)
    assert.deepEqual(
      rows.filter(message => !isKnown(message)),
      [],
      section,
    )
    assert.equal(new Set(rows).size, rows.length, section)
  }
})
