import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const checkouts = []
after(() => {
  for (const folder of checkouts) rmSync(folder, { recursive: true })
})

/** A checkout with one program, `bin/main.ts`, that runs `code`. */
function checkout(code) {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-types-'))
  checkouts.push(folder)
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(join(import.meta.dirname, '../types.mjs'), join(folder, 'bin/types.mjs'))
  const write = text => writeFileSync(join(folder, 'bin/main.ts'), text)
  write(code)
  const cache = join(folder, 'node_modules/.cache', `types-${process.versions.node}`)
  const run = () => {
    const args = ['--import', pathToFileURL(join(folder, 'bin/types.mjs')).href, join(folder, 'bin/main.ts')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  return { folder, write, cache, run }
}

test('TypeScript runs from the cache, which the first run fills', () => {
  const { cache, run } = checkout('const text: string = "hello"\nconsole.log(text)\n')
  for (let i = 0; i < 2; i++) assert.deepEqual(run(), { status: 0, stdout: 'hello\n', stderr: '' })
  const [file, ...others] = readdirSync(cache)
  assert.deepEqual(others, [])
  writeFileSync(join(cache, file), 'console.log("cached")')
  assert.equal(run().stdout, 'cached\n')
})

test('a changed file is stripped again, and its old form is removed', () => {
  const { write, cache, run } = checkout('console.log("old" satisfies string)\n')
  run()
  const before = readdirSync(cache)
  write('console.log("new" satisfies string)\n')
  assert.equal(run().stdout, 'new\n')
  assert.equal(readdirSync(cache).length, 1)
  assert.notDeepEqual(readdirSync(cache), before)
})

test('when types are removed in another way, every file is stripped again', () => {
  const { folder, cache, run } = checkout('console.log("text" satisfies string)\n')
  run()
  const before = readdirSync(cache)
  const program = join(folder, 'bin/types.mjs')
  const text = readFileSync(program, 'utf8')
  const removal = 'return stripTypeScriptTypes(source)'
  assert.ok(text.includes(removal))
  writeFileSync(program, text.replace(removal, `${removal}.replace('text', 'changed')`))
  assert.equal(run().stdout, 'changed\n')
  assert.equal(readdirSync(cache).length, before.length)
})

test('an error names the line and column of the TypeScript', () => {
  const { run } = checkout('const it: { a: number } = { a: 1 }\n\nif (it.a) throw new Error("here")\n')
  for (let i = 0; i < 2; i++) assert.match(run().stderr, /main\.ts:3:17/)
})

test('without a place for the cache, Node strips the types', () => {
  const { cache, run } = checkout('const text: string = "hello"\nconsole.log(text)\n')
  writeFileSync(dirname(cache), 'a file, not a folder')
  assert.equal(run().stdout, 'hello\n')
})

test('spaces at the end of a line of a template stay, also where a type stood on the line', () => {
  const typed = checkout('const it: string = `1  \n`\nprocess.stdout.write(it)\n')
  assert.equal(typed.run().stdout, '1  \n')
  const { run } = checkout(
    `const it: { a: number } = { a: 1 }; interface It {}  \nprocess.stdout.write(\`\${it.a}  \n\`)\n`,
  )
  assert.equal(run().stdout, '1  \n')
})
