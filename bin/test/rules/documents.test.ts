import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf } from '../../../packages/server/test/harness/guide.ts'
import { DOCUMENTS, none, readText } from './sources.ts'

const DOCS = 'packages/server/test/docs'

/** The tests that use the fenced blocks of each document. They name each block as the document does. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'CONTRIBUTING.md': [`${DOCS}/publishing.test.ts`],
  'README.md': ['packages/server/test/flows/quickstart.test.ts'],
  'deploy/startos/README.md': [`${DOCS}/publishing.test.ts`],
  'deploy/umbrel/README.md': [`${DOCS}/publishing.test.ts`],
  'docs/backup.md': [`${DOCS}/operation.test.ts`],
  'docs/checkout.md': [`${DOCS}/checkout.test.ts`],
  'docs/clients.md': ['packages/server/test/clients/generated.test.ts'],
  'docs/events.md': [`${DOCS}/events.test.ts`],
  'docs/first-invoice.md': [`${DOCS}/first-invoice.test.ts`],
  'docs/going-live.md': [`${DOCS}/going-live.test.ts`],
  'docs/links.md': [`${DOCS}/links.test.ts`],
  'docs/many-processes.md': [`${DOCS}/many-processes.test.ts`],
  'docs/one-machine.md': [`${DOCS}/one-machine.test.ts`, 'packages/server/test/deploy/one-machine.test.ts'],
  'docs/php.md': [`${DOCS}/languages.test.ts`],
  'docs/plugins.md': [`${DOCS}/plugins.test.ts`],
  'docs/python.md': [`${DOCS}/languages.test.ts`],
  'docs/real-network.md': [`${DOCS}/real-network-guide.ts`],
  'docs/refunds.md': [`${DOCS}/refunds.test.ts`],
  'docs/swaps.md': [`${DOCS}/swaps.test.ts`],
  'docs/upgrades.md': [`${DOCS}/operation.test.ts`],
  'docs/wallets.md': [`${DOCS}/wallets.test.ts`],
  'docs/webhooks.md': [
    `${DOCS}/webhooks.test.ts`,
    'packages/server/src/web/receivers.ts',
    'packages/server/test/cli/commands/webhook.test.ts',
  ],
  'packages/sandbox/README.md': [`${DOCS}/sandbox.test.ts`],
  'packages/sdk/README.md': [
    'packages/sdk/test/recipes.test.ts',
    'packages/server/test/packages/installed.test.ts',
    `${DOCS}/publishing.test.ts`,
  ],
  'packages/zcash/README.md': ['packages/server/test/packages/installed.test.ts', `${DOCS}/publishing.test.ts`],
}

/** The text after each fence: the language and the name of the block. `text` is a drawing. */
function tagsOf(document: string): string[] {
  return blocksOf(document)
    .map(({ tag }) => tag)
    .filter(tag => tag !== 'text')
}

/** `sh create` → create, `js snippet=payment` → payment */
function nameOf(tag: string): string {
  return (
    tag
      .slice(tag.indexOf(' ') + 1)
      .split('=')
      .at(-1) ?? ''
  )
}

test('every fenced block of a document has a language and a name', () => {
  const unnamed = DOCUMENTS.flatMap(document =>
    tagsOf(document)
      .filter(tag => !/^[a-z]+ \S+$/.test(tag))
      .map(tag => `${document}: \`\`\`${tag}`),
  )
  none(unnamed)
})

test('every fenced block of a document is used by a test', () => {
  const unused = DOCUMENTS.flatMap(document => {
    const tests = (TESTS[document] ?? []).map(readText).join('\n')
    return tagsOf(document)
      .filter(tag => !new RegExp(`(?<![\\w-])${nameOf(tag)}(?![\\w-])`).test(tests))
      .map(tag => `${document}: \`\`\`${tag}`)
  })
  none(unused)
})

test('a document whose commands need the checkout says how to get it', () => {
  const needsCheckout =
    /^\s*(?:\w+=\S+ )*(?:npx zatgate|npm (?:start|ci|run)|docker buildx build|docker compose up|helm install|git archive)\b/m
  const unsaid = DOCUMENTS.filter(document => {
    const text = readText(document)
    const isNeeded = blocksOf(document).some(block => block.tag.startsWith('sh ') && needsCheckout.test(block.text))
    return isNeeded && !/\]\((?:[./\w]*README\.md)?#get-it\)/.test(text)
  })
  none(unsaid)
})

test('a document whose code imports a package of the project links to its installation', () => {
  const unsaid = DOCUMENTS.flatMap(document => {
    const text = readText(document)
    return ['sdk', 'zcash']
      .filter(name => document !== `packages/${name}/README.md` && text.includes(`from '@zatgate/${name}`))
      .filter(name => !new RegExp(`(?:packages|\\.\\.)/${name}/README\\.md`).test(text))
      .map(name => `${document}: ${name}`)
  })
  none(unsaid)
})

test('no document installs a package of the project from npm, where none is published', () => {
  const wrong = DOCUMENTS.filter(document =>
    /npm (?:install|i|add) (?:--?\S+ )*@?zatgate(?!-)/.test(readText(document)),
  )
  none(wrong)
})

test('a key is written to a file, and a repeated command keeps it', () => {
  const wrong = DOCUMENTS.flatMap(document =>
    blocksOf(document).flatMap(({ text }) =>
      text
        .split('\n')
        .filter(
          line => line.includes('openssl rand') && !/^(?:\[|sudo test) -s \S+ (?:\] )?\|\| openssl rand /.test(line),
        )
        .map(line => `${document}: ${line}`),
    ),
  )
  // The password of a role: the statement that creates it fails the second time, and the file is then left alone.
  assert.deepEqual(wrong, ['docs/many-processes.md: export PASSWORD=$(openssl rand -hex 24)'])
})

test('the README fits on a page; what is longer has a page in docs/', () => {
  assert.ok(readText('README.md').split('\n').length <= 91)
})

test('the list names every document with fenced blocks, and no other', () => {
  const documents = DOCUMENTS.filter(document => tagsOf(document).length > 0)
  assert.deepEqual(Object.keys(TESTS).sort(), documents)
})
