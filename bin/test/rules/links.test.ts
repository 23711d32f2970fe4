import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const isInstalled = (path: string) => /(^|\/)(node_modules|dist)\//.test(path)
const DOCUMENTS = globSync(['*.md', 'docs/*.md', 'deploy/**/*.md', 'packages/**/*.md'], { cwd: ROOT }).filter(
  path => !isInstalled(path),
)

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/```.*?```/gs, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link of a document leads to a file, and to a heading of it', () => {
  assert.ok(DOCUMENTS.length >= 10)
  const broken = DOCUMENTS.flatMap(document => {
    const text = readFileSync(join(ROOT, document), 'utf8').replace(/```.*?```/gs, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter(target => !/^[a-z]+:/.test(target))
      .filter(target => {
        const [file = '', anchor] = target.split('#')
        const path = file === '' ? join(ROOT, document) : join(ROOT, dirname(document), file)
        return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor))
      })
      .map(target => `${document}: ${target}`)
  })
  assert.deepEqual(broken, [])
})
