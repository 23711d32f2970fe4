import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildImage } from '../../release/artefacts.ts'
import { temporaryFolder } from './throwaway.ts'

/** Puts a program first on the PATH that notes its arguments and does what the script says. @returns the noted lines */
function withDocker(t: TestContext, script: string): () => string[] {
  const folder = temporaryFolder(t)
  const [program, notes] = [join(folder, 'docker'), join(folder, 'notes')]
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${notes}'\n${script}\n`)
  chmodSync(program, 0o755)
  const path = process.env.PATH
  process.env.PATH = `${folder}:${path}`
  t.after(() => {
    process.env.PATH = path
  })
  return () => readFileSync(notes, 'utf8').trim().split('\n')
}

test('with a Docker engine the image of the clone is built into a file', async t => {
  const notes = withDocker(t, 'exit 0')
  const [clone, out] = [temporaryFolder(t), temporaryFolder(t)]
  const line = await buildImage({ clone, out, version: '1.2.3', isDry: false })
  assert.match(line, /^built the image zatgate:1\.2\.3/)
  const build = 'buildx build --file deploy/docker/Dockerfile --tag zatgate:1.2.3'
  const output = `--output type=docker,dest=${join(out, 'zatgate-1.2.3-image.tar')}`
  assert.deepEqual(notes(), ['info', 'buildx version', `${build} ${output} .`])
})

test('without one the release says that there is no image, and how to build it', async t => {
  withDocker(t, 'exit 1')
  const folder = temporaryFolder(t)
  assert.match(
    await buildImage({ clone: folder, out: folder, version: '1.2.3', isDry: false }),
    /^the image was NOT built: .* docker buildx build --file deploy\/docker\/Dockerfile --tag zatgate:1\.2\.3 \.$/,
  )
})

test('a failed build fails the release', async t => {
  withDocker(t, 'case "$*" in *build\\ --file*) echo "no such base image" >&2; exit 1;; esac')
  const folder = temporaryFolder(t)
  await assert.rejects(buildImage({ clone: folder, out: folder, version: '1.2.3', isDry: false }), /no such base image/)
})
