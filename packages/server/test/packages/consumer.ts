import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildPackage, PUBLISHED } from '../../../../bin/packages/build.ts'

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

const RUN_MS = 60_000

/** A project outside of the repository that has the packed packages installed, and nothing else. */
export interface Consumer {
  readonly folder: string
  /** The files of each tarball, by the folder name of the package. */
  readonly packed: Readonly<Record<string, readonly string[]>>
  /** Runs the code as a file with this ending. @returns its standard output @throws with its error output when it fails */
  run(node: string, ending: 'mjs' | 'cjs', code: string, options?: RunOptions): Promise<string>
  remove(): void
}

export interface RunOptions {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Called with each chunk of the standard output. */
  readonly onOutput?: (text: string) => void
}

/** Builds and packs the packages, and installs the tarballs in a new project, as their users do. */
export async function installPackages(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-consumer-'))
  const packed: Record<string, string[]> = {}
  const tarballs: string[] = []
  for (const name of PUBLISHED) {
    const dist = await buildPackage(name)
    const [tarball] = JSON.parse(await npm(folder, 'pack', dist, '--json'))
    tarballs.push(join(folder, tarball.filename))
    packed[name] = tarball.files.map(({ path }: { path: string }) => path)
  }
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await npm(folder, 'install', ...tarballs, '--prefer-offline', '--no-audit', '--no-fund')
  return {
    folder,
    packed,
    async run(node, ending, code, { flags = [], env = {}, onOutput } = {}) {
      const file = `main.${ending}`
      writeFileSync(join(folder, file), code)
      const running = promisify(execFile)(node, [...flags, file], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...env },
        timeout: RUN_MS,
      })
      running.child.stdout?.on('data', chunk => onOutput?.(String(chunk)))
      return (await running).stdout
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, timeout: RUN_MS })
  return stdout
}

/** The binaries of the Nodes that the packages support: those in `.ci/node`, or the one that runs the tests. */
export function supportedNodes(): readonly { readonly name: string; readonly binary: string }[] {
  const names = ['node18', 'node20', 'node22', 'oldest', 'newest']
  const nodes = names.map(name => ({ name, binary: join(ROOT, '.ci/node/node_modules', name, 'bin/node') }))
  const installed = nodes.filter(({ binary }) => existsSync(binary))
  if (installed.length === nodes.length) return nodes
  const reason = `not all of ${names.join(', ')} are installed: run npm ci in .ci/node`
  if (process.env.CI === 'true') throw new Error(reason)
  console.error(`${reason}; the packages are tested on ${process.version} only`)
  return [{ name: process.version, binary: process.execPath }]
}

/** The code block of a package's README that is marked with `snippet=<name>`. @throws when there is none */
export function snippetOf(name: string, snippet: string): string {
  const readme = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8')
  const code = new RegExp(`\`\`\`js snippet=${snippet}\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  if (code === undefined) throw new Error(`the README of ${name} has no snippet ${snippet}`)
  return code
}
