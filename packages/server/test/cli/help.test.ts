import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runCommand } from '../harness/command-line.ts'

const zatgate = (line: string) => runCommand(line.split(' '), {})

test('--help lists every command, whose own help explains each argument of its usage and no other is in its example', async () => {
  const { out } = await zatgate('--help')
  for (const { name } of COMMANDS) {
    assert.match(out, new RegExp(`^ {2}${name}(?: |$)`, 'm'))
    const help = (await zatgate(`${name} --help`)).out
    const [, usage = ''] = help.match(/^Usage: zatgate (.*)$/m) ?? []
    const [, example = ''] = help.match(/^Example:\n {2}zatgate (.*)$/m) ?? []
    const explained = (argument: string) => new RegExp(`^ {2}${argument}\\b.* {2,}[^ ]`, 'm').test(help)
    for (const [argument] of usage.slice(name.length).matchAll(/--[a-z-]+|\b[A-Z_]{2,}\b/g))
      assert.ok(explained(argument) || help.includes(` ${argument}  `), `${name}: ${argument}`)
    assert.ok(example.startsWith(name), `${name}: ${example}`)
    for (const [option] of example.matchAll(/--[a-z-]+/g)) assert.ok(explained(option), `${name}: ${option}`)
  }
})

test('help fits its terminal: 80 columns where the width is not known, and at most 100', async () => {
  const widths = async (args: string[], columns?: number) => {
    const { out } = await runCommand(args, {}, columns === undefined ? {} : { columns })
    // Usage and example are to be copied, so they are not wrapped.
    return out
      .split('\n')
      .filter(line => !/^Usage|^ {2}zatgate /.test(line))
      .map(line => line.length)
  }
  for (const args of [['--help'], ['account', '--help'], ['chain', 'accept', '--help'], ['open', '--help']]) {
    assert.ok(Math.max(...(await widths(args))) <= 80, args.join(' '))
    assert.ok(Math.max(...(await widths(args, 60))) <= 60, args.join(' '))
    assert.ok(Math.max(...(await widths(args, 300))) <= 100, args.join(' '))
  }
})

test('help for a command that does not exist is refused, and that of two words is found', async () => {
  for (const line of ['help doctr', 'doctr --help']) {
    const { code, out, err } = await zatgate(line)
    assert.deepEqual([code, out], [2, ''])
    assert.equal(err, "zatgate: unknown command 'doctr': did you mean 'doctor'? (see zatgate --help)\n")
  }
  assert.equal((await zatgate('help account list')).out, (await zatgate('account list --help')).out)
})

test('a mistyped option and a missing value are named', async () => {
  for (const [line, message] of [
    ['audit --emial x', "unknown option '--emial': did you mean '--email'?"],
    ['audit -x', "unknown option '-x'"],
    ['audit --email', '--email needs a value (if it begins with -, write --email=-…)'],
    ['rescan --from -5', '--from needs a value (if it begins with -, write --from=-…)'],
  ] as const) {
    const { code, err } = await zatgate(line)
    assert.equal(code, 2)
    assert.ok(err.startsWith(`zatgate: ${message} (usage: `), err)
  }
})

test('--version prints the version of the package and of Node', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  assert.equal((await zatgate('--version')).out, `zatgate ${version} (Node ${process.version})\n`)
  assert.deepEqual((await zatgate('-V --json')).json(), { version, node: process.version })
})

test('the first word of several commands lists them, and a mistyped command is guessed', async () => {
  const group = await zatgate('withdrawals')
  assert.deepEqual([group.code, group.out], [2, ''])
  for (const name of ['list', 'show', 'settle', 'fail'])
    assert.match(group.err, new RegExp(`^ {2}withdrawals ${name}`, 'm'))
  const help = await zatgate('withdrawals --help')
  assert.deepEqual([help.code, help.out], [0, group.err])
  const guesses = {
    doctr: 'doctor',
    'acount list': 'account list',
    'account lst': 'account list',
    'withdrawal list': 'withdrawals list',
    'rotate-encryption-keys': 'rotate-encryption-key',
    sesion: 'session',
  }
  for (const [typed, meant] of Object.entries(guesses)) {
    const { code, err } = await zatgate(typed)
    assert.equal(code, 2)
    assert.ok(err.includes(`did you mean '${meant}'?`), `${typed}: ${err}`)
  }
  assert.match((await zatgate('frobnicate')).err, /^zatgate: unknown command 'frobnicate' \(see zatgate --help\)\n$/)
})
