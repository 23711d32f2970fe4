import { readGuide } from './guides.ts'

/** A program that receives webhooks. */
export interface Receiver {
  readonly language: string
  /** The name of its file. */
  readonly fileName: string
  readonly code: string
  /** The command that starts it. */
  readonly start: string
}

/** The documents with the receivers, as blocks named `<fence> receiver` and `sh receiver`. */
const SOURCES = [
  { language: 'Node', file: 'docs/webhooks.md', fence: 'js' },
  { language: 'Python', file: 'docs/python.md', fence: 'python' },
  { language: 'PHP', file: 'docs/php.md', fence: 'php' },
] as const

/** Where the receivers of the documents listen, in the account's own machine. */
const PATH = /(['"])\/webhook\1/
const PORT = /\b3001\b/

/**
 * The receivers of the guides, for the path and the port of a webhook URL.
 * @param url null: as in the guides. A URL without a port is that of a web server; the receiver behind it keeps the port of the guide
 */
export async function receiversFor(url: URL | null): Promise<readonly Receiver[]> {
  return Promise.all(
    SOURCES.map(async ({ language, file, fence }) => {
      const text = await readGuide(file)
      const start = block(text, 'sh')
      const fileName = start.slice(start.lastIndexOf(' ') + 1)
      return { language, fileName, code: at(url, block(text, fence)), start: at(url, start) }
    }),
  )
}

function block(text: string, fence: string): string {
  return new RegExp(`^\`\`\`${fence} receiver\\n(.*?)\\n\`\`\`$`, 'ms').exec(text)?.[1] ?? ''
}

/** A path of a URL has no backslash and no double quote, so only a single quote needs one. */
function at(url: URL | null, code: string): string {
  if (url === null) return code
  const path = (_all: string, quote: string) => quote + url.pathname.replaceAll(quote, `\\${quote}`) + quote
  return code.replace(PATH, path).replace(PORT, port => url.port || port)
}
