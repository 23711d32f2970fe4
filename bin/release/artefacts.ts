import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PUBLISHED } from '../packages/build.ts'
import { ReleaseError } from './error.ts'
import { runProgram, succeeds } from './program.ts'

const DOCKERFILE = 'deploy/docker/Dockerfile'

/** The input of a step of a release. */
export interface Build {
  /** A clone with the new version and with dependencies. */
  readonly clone: string
  readonly version: string
  readonly isDry: boolean
  /** The folder of the artefacts. */
  readonly out: string
}

/** Makes something. @returns a line that says what */
export type Step = (build: Build) => Promise<string>

const UPGRADE = 'packages/server/test/upgrade'

/** Records a database as this version writes it, from which later versions are upgraded in tests. It passes them now. */
export const recordDatabase: Step = async ({ clone, version }) => {
  await runProgram(clone, process.execPath, [`${UPGRADE}/record.ts`, version])
  const own = `--test-name-pattern=^${version.replaceAll('.', '\\.')} on `
  const tests = globSync(`${UPGRADE}/*.test.ts`, { cwd: clone })
  const options = ['--test', '--test-concurrency=2', '--test-reporter=spec', own]
  const printed = await runProgram(clone, process.execPath, [...options, ...tests])
  const [, passed = '0'] = /^ℹ pass (\d+)$/m.exec(printed) ?? []
  if (Number(passed) < 1) throw new ReleaseError(`no upgrade test ran on the recorded database of ${version}`)
  return `recorded a database of ${version}, which passes ${passed} upgrade tests`
}

/** The tarballs of the packages for npm. */
export const packPackages: Step = async ({ clone, version, out }) => {
  await runProgram(clone, process.execPath, ['bin/packages/main.ts'])
  for (const name of PUBLISHED) {
    const dist = join(clone, 'packages', name, 'dist')
    await runProgram(dist, 'npm', ['pack', '--ignore-scripts', '--pack-destination', out, '--loglevel=error'])
  }
  return `built ${PUBLISHED.map(name => `@zatgate/${name} ${version}`).join(' and ')}`
}

/** The source of the service. It is unpacked, installed and started as its users do. */
export const packSource: Step = async ({ clone, version, out }) => {
  const name = sourceName(version)
  const archive = join(out, `${name}.tar.gz`)
  await runProgram(clone, 'git', ['archive', '--format=tar.gz', `--prefix=${name}/`, `--output=${archive}`, 'HEAD'])
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-source-'))
  try {
    await runProgram(folder, 'tar', ['xzf', archive])
    const command = join(folder, name, 'bin/zatgate.mjs')
    const printed = await runProgram(folder, process.execPath, [command, '--version'])
    if (!printed.startsWith(`zatgate ${version} `)) throw new ReleaseError(`the source says that it is ${printed}`)
    await runProgram(folder, process.execPath, [command, 'try'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return `the source was unpacked and installed elsewhere, and sold an invoice there (zatgate try)`
}

/**
 * The list of components (CycloneDX). It fails on a licence that is not allowed, on a known advisory, and, unless the run is
 * dry, on an old Node of the image.
 */
export const listComponents: Step = async ({ clone, version, isDry, out }) => {
  const file = join(out, `${sourceName(version)}.cdx.json`)
  await runProgram(clone, process.execPath, ['.ci/dependencies.mjs', file, ...(isDry ? [] : ['--release'])])
  const { components } = JSON.parse(readFileSync(file, 'utf8'))
  return `listed ${components.length} components of the service; their licences are allowed`
}

/** The image, where a Docker engine responds. */
export const buildImage: Step = async ({ clone, version, out }) => {
  const image = `zatgate:${version}`
  const build = ['buildx', 'build', '--file', DOCKERFILE, '--tag', image]
  const hasEngine =
    (await succeeds(clone, 'docker', ['info'])) && (await succeeds(clone, 'docker', ['buildx', 'version']))
  if (!hasEngine)
    return `the image was NOT built: no Docker engine responds. Build it at the tag with: docker ${build.join(' ')} .`
  const file = join(out, `${sourceName(version)}-image.tar`)
  await runProgram(clone, 'docker', [...build, '--output', `type=docker,dest=${file}`, '.'])
  return `built the image ${image} (docker load --input ${sourceName(version)}-image.tar)`
}

function sourceName(version: string): string {
  return `zatgate-${version}`
}
