import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const ROOT = join(import.meta.dirname, '../../../..')
const MAX_MS = 60_000

/** A fenced block of a guide. Its tag is what stands after the fence: the language, and what the tests do with it. */
export interface Block {
  readonly tag: string
  readonly text: string
}

/** The text of a document. @param path below the root of the project, such as `docs/webhooks.md` */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The blocks of a document, in order, also those in lists. @param path below the root of the project */
export function blocksOf(path: string): readonly Block[] {
  const fenced = readDocument(path).matchAll(/^( *)```([^\n]*)\n(.*?)^ *```$/gms)
  return [...fenced].map(([, indent = '', tag = '', text = '']) => ({
    tag,
    text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The blocks of commands that have a name, as in ```` ```sh name ````. @param path below the root of the project */
export function commandBlocks(path: string): ReadonlyMap<string, string> {
  const named = blocksOf(path).filter(({ tag }) => tag.startsWith('sh '))
  return new Map(named.map(({ tag, text }) => [tag.slice('sh '.length), text]))
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
