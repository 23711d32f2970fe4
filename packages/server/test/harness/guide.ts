import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../../..')

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
