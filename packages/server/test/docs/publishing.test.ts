import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PUBLISHED } from '../../../../bin/packages/build.ts'
import { deployText } from '../deploy/files.ts'
import { ROOT } from '../harness/guide.ts'
import { missingProgram } from '../harness/programs.ts'
import { checkDockerBlock } from './checked-commands.ts'
import { checkSyntax, Guide } from './guide.ts'

// These commands need a registry, Docker or tools of StartOS, or start the tests themselves: they are checked, not run.

const skip = missingProgram('bash')

test('the commands that publish the package for Umbrel name the version, files and registry of the project', {
  skip,
}, () => {
  const guide = new Guide('deploy/umbrel/README.md')
  const publish = guide.block('sh publish')
  checkDockerBlock(publish)
  const [, image = ''] = / -t (\S+) /.exec(publish) ?? []
  assert.ok(deployText('umbrel/zatgate-server/docker-compose.yml').includes(`image: ${image}\n`), image)
  guide.assertAllUsed()
})

test('the commands that build the package for StartOS name targets and files that exist', { skip }, () => {
  const guide = new Guide('deploy/startos/README.md')
  const build = guide.block('sh build')
  checkSyntax(build)
  assert.deepEqual(build.trim().split('\n'), ['npm ci --ignore-scripts', 'make', 'make install'])
  const folder = join(ROOT, 'deploy/startos')
  assert.ok(existsSync(join(folder, 'package-lock.json')))
  const [, included = ''] = /^include (.*)$/m.exec(readFileSync(join(folder, 'Makefile'), 'utf8')) ?? []
  // Without the tools of the package there are no rules to compare with.
  if (existsSync(join(folder, 'node_modules'))) assert.match(readFileSync(join(folder, included), 'utf8'), /^install:/m)
  guide.assertAllUsed()
})

test('both packages are installed from the checkout in the same way', () => {
  const [sdk = '', zcash] = PUBLISHED.map(name => new Guide(`packages/${name}/README.md`).block('sh install'))
  assert.equal(sdk.replaceAll('sdk', 'zcash'), zcash)
})

test('CONTRIBUTING.md names scripts that exist', () => {
  const guide = new Guide('CONTRIBUTING.md')
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commands = [...guide.block('sh commands').matchAll(/^npm (\w+)/gm)].map(([, name = '']) => name)
  assert.deepEqual(commands, ['start', 'test'])
  const named = [...guide.text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(
    [...commands, ...named].filter(name => !(name in scripts)),
    [],
  )
  assert.deepEqual(
    Object.keys(scripts).filter(name => !commands.includes(name) && !named.includes(name)),
    [],
  )
  guide.assertAllUsed()
})
