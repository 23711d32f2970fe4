import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf } from '../../../packages/server/test/harness/guide.ts'
import { DOCUMENTS, readText } from './sources.ts'

const DOCS = 'packages/server/test/docs'

/** The tests that use the fenced blocks of each document. They name each block as the document does. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'CONTRIBUTING.md': [`${DOCS}/publishing.test.ts`],
  'README.md': [
    'packages/server/test/flows/quickstart.test.ts',
    `${DOCS}/settings.test.ts`,
    'packages/sdk/test/recipes.test.ts',
  ],
  'deploy/startos/README.md': [`${DOCS}/publishing.test.ts`],
  'deploy/umbrel/README.md': [`${DOCS}/publishing.test.ts`],
  'docs/backup.md': [`${DOCS}/operation.test.ts`],
  'docs/checkout.md': [`${DOCS}/checkout.test.ts`],
  'docs/clients.md': ['packages/server/test/clients/generated.test.ts'],
  'docs/first-invoice.md': [`${DOCS}/first-invoice.test.ts`],
  'docs/going-live.md': [`${DOCS}/going-live.test.ts`],
  'docs/many-processes.md': [`${DOCS}/many-processes.test.ts`],
  'docs/one-machine.md': [`${DOCS}/one-machine.test.ts`],
  'docs/real-network.md': [`${DOCS}/real-network.test.ts`],
  'docs/refunds.md': [`${DOCS}/refunds.test.ts`],
  'docs/swaps.md': [`${DOCS}/swaps.test.ts`],
  'docs/upgrades.md': [`${DOCS}/operation.test.ts`],
  'docs/wallets.md': [`${DOCS}/wallets.test.ts`],
  'docs/webhooks.md': [`${DOCS}/webhooks.test.ts`, 'packages/server/test/cli/commands/webhook.test.ts'],
  'packages/sandbox/README.md': [`${DOCS}/settings.test.ts`],
  'packages/sdk/README.md': [
    'packages/sdk/test/recipes.test.ts',
    'packages/server/test/packages/installed.test.ts',
    `${DOCS}/publishing.test.ts`,
  ],
  'packages/zcash/README.md': ['packages/server/test/packages/installed.test.ts', `${DOCS}/publishing.test.ts`],
}

/** Blocks that the tests do not run, and why. They check the syntax, or what the block names: files, versions, ports. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md: sh commands': 'starts the tests',
  'README.md: sh production': 'reads a public server of mainnet; the settings are pasted and accepted',
  'README.md: sh start': 'the test starts the service itself',
  'deploy/startos/README.md: sh build': 'needs Docker and the tools of StartOS',
  'deploy/umbrel/README.md: sh publish': 'needs Docker and a registry',
  'docs/clients.md: go install': 'downloads; the tests use the same versions',
  'docs/clients.md: python install': 'downloads; the tests use the same versions',
  'docs/going-live.md: sh start': 'the test starts the service itself',
  'docs/many-processes.md: sh docker': 'needs Docker',
  'docs/one-machine.md: sh docker': 'needs Docker',
  'docs/one-machine.md: sh proxy': 'installs a package of the system and restarts its service',
  'docs/real-network.md: sh install': 'downloads or builds Zebra, which takes half an hour',
  'docs/real-network.md: sh start-regtest': 'the test starts the service itself',
  'docs/real-network.md: sh zebra': 'needs Zebra',
  'docs/real-network.md: sh zebra-regtest': 'needs Zebra',
  'docs/real-network.md: toml zebra-regtest.toml': 'needs Zebra',
  'docs/real-network.md: toml zebra.toml': 'needs Zebra',
  'packages/sdk/README.md: sh install': 'needs a published package; the tests install its tarball',
  'packages/zcash/README.md: sh install': 'needs a published package; the tests install its tarball',
}

/** What stands after each fence: the language and the name of the block. `text` is a drawing. */
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
  assert.deepEqual(unnamed, [])
})

test('every fenced block of a document is used by a test', () => {
  const unused = DOCUMENTS.flatMap(document => {
    const tests = (TESTS[document] ?? []).map(readText).join('\n')
    return tagsOf(document)
      .filter(tag => !new RegExp(`(?<![\\w-])${nameOf(tag)}(?![\\w-])`).test(tests))
      .map(tag => `${document}: \`\`\`${tag}`)
  })
  assert.deepEqual(unused, [])
})

test('the lists name documents and blocks that exist', () => {
  const documents = DOCUMENTS.filter(document => tagsOf(document).length > 0)
  assert.deepEqual(Object.keys(TESTS).sort(), documents)
  const blocks = documents.flatMap(document => tagsOf(document).map(tag => `${document}: ${tag}`))
  assert.deepEqual(
    Object.keys(NOT_RUN).filter(block => !blocks.includes(block)),
    [],
  )
})
