import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../../..')
const MAX_MS = 60_000

/** The blocks of commands in a document that have a name, as in ```` ```sh name ````. @param path from the root */
export function commandBlocks(path: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const blocks = [...text.matchAll(/^( *)```sh ([\w-]+)\n(.*?)^ *```$/gms)]
  return new Map(
    blocks.map(([, indent = '', name = '', commands = '']) => [name, commands.replaceAll(`\n${indent}`, '\n')]),
  )
}

export interface PasteOptions {
  /** Settings, and other variables. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the reader would change, such as paths. */
  readonly replace?: readonly (readonly [text: string, by: string])[]
  /** Default: the root of the checkout. */
  readonly folder?: string
  /** Folders of programs that come first on the PATH. */
  readonly programs?: readonly string[]
}

/** Pastes commands into a shell that stops at the first failed one. @returns what they print @throws when one fails */
export async function paste(commands: string, options: PasteOptions = {}): Promise<string> {
  const { env = {}, replace = [], folder = ROOT, programs = [] } = options
  const text = replace.reduce((changed, [from, to]) => changed.replaceAll(from, to), commands)
  const path = [...programs, dirname(process.execPath), process.env.PATH].join(':')
  const shell = { cwd: folder, env: { ...process.env, ...env, PATH: path }, timeout: MAX_MS }
  return (await promisify(execFile)('bash', ['-euc', text], shell)).stdout
}
