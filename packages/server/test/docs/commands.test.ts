import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { parseArguments } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { blocksOf, ROOT, readDocument } from '../harness/guide.ts'

const DOCUMENTS = globSync(['*.md', 'docs/*.md', 'deploy/**/*.md', 'packages/*/README.md'], {
  cwd: ROOT,
  exclude: path => path.includes('node_modules'),
})

/** The words of a command line; what the shell inserts is `x`. */
function wordsOf(line: string): string[] {
  const plain = line.replaceAll(/\$\([^)]*\)/g, 'x')
  return [...plain.matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word)
}

/** Finds the command and parses its arguments. @throws Error when there is none, UsageError */
function check(words: readonly string[]): void {
  const line = words.join(' ')
  const command = COMMANDS.find(({ name }) => `${line} `.startsWith(`${name} `))
  assert.ok(command, `no command: ${line}`)
  const args = words.slice(command.name.split(' ').length).filter(word => word !== '--json')
  parseArguments(command.arguments, args)
}

test('the example of each command is a command line that it accepts', () => {
  for (const { example } of COMMANDS) check(wordsOf(example))
})

test('each command line in a block of a document is one that its command accepts', () => {
  const lines = DOCUMENTS.flatMap(document =>
    blocksOf(document)
      .filter(({ tag }) => tag.startsWith('sh '))
      .flatMap(({ text }) => [
        ...text.matchAll(/(?:npx zatgate|bin\/main\.ts|\/zatgate) ([a-z](?:\$\([^)]*\)|[^\n&|;#)\\'])*)/g),
      ])
      .map(([, line = '']) => line),
  )
  assert.ok(lines.length >= 15, lines.join('\n'))
  for (const line of lines) check(wordsOf(line))
})

test('each command that the text of a document names exists, with its options', () => {
  const named = DOCUMENTS.flatMap(document =>
    [...readDocument(document).matchAll(/`(?:npx )?zatgate ([a-z][^`\n]*)`/g)].map(([, line = '']) => line),
  )
  assert.ok(named.length >= 15, named.join('\n'))
  for (const line of named) {
    const command = COMMANDS.find(({ name }) => `${line} `.startsWith(`${name} `))
    const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${line} `))
    assert.ok(command || isGroup, line)
    for (const [, option = ''] of line.matchAll(/--([a-z-]+)/g))
      assert.ok(option === 'json' || option === 'help' || (command && option in command.arguments), line)
  }
})

test('docs/commands.md lists every command, and no other', () => {
  const documented = [...readDocument('docs/commands.md').matchAll(/^\| `([a-z][a-z-]*(?: [a-z][a-z-]*)*)/gm)]
  assert.deepEqual(documented.map(([, name]) => name).sort(), COMMANDS.map(({ name }) => name).sort())
})
