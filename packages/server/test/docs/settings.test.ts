import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSettings, settingsOf } from '../deploy/checked-settings.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { blocksOf } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { openShell } from '../harness/shell.ts'
import { Guide, runModule } from './guide.ts'

const skip = missingProgram('bash') || missingProgram('openssl', 'version')

/** The lines of a document that export settings, one text for each block that names a network. */
function exportsIn(path: string): string[] {
  return blocksOf(path)
    .map(({ text }) => text.split('\n').filter(line => line.startsWith('export ')))
    .filter(([first]) => first?.startsWith('export NETWORK='))
    .map(lines => lines.join('\n'))
}

test('zatgate accepts the settings that the README and the page on real networks export, as pasted', {
  skip,
}, async t => {
  const [production = '', ...others] = exportsIn('README.md')
  assert.deepEqual(others, [])
  const [regtest = '', mainnet = '', ...more] = exportsIn('docs/real-network.md')
  assert.deepEqual(more, [])
  for (const [network, commands] of [
    ['main', production],
    ['regtest', regtest],
    ['main', `${production}\n${mainnet}`],
  ] as const) {
    const folder = temporaryFolder(stackOf(t))
    const shell = openShell(t, { folder })
    await shell.run(commands)
    assert.equal(checkSettings(await settingsOf(shell), folder).network, network)
  }
})

test("the sandbox's example as a library runs as it stands", async () => {
  const guide = new Guide('packages/sandbox/README.md')
  await runModule(`${guide.block('js library')}\nconsole.log('done')`)
  guide.assertAllUsed()
})
