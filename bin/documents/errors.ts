import { join } from 'node:path'
import { API_ERROR_GROUPS, API_ERRORS, type ApiError } from '../../packages/server/src/domain/error-table.ts'
import { STATUS } from '../../packages/server/src/http/error.ts'

/** The path of the document. */
export const ERRORS_FILE = join(import.meta.dirname, '../../docs/errors.md')

/** The document from the present sources. */
export function errorsDocument(): string {
  const titles = Object.keys(API_ERROR_GROUPS)
  return `# Errors of the API

Every response that is not 2xx has a JSON body with a \`code\`, which is stable, and a \`message\` for people. Often \`detail\` says what would be right. \`doc_url\` links to the entry of the code on this page, as your service shows it. \`/docs\` on your service lists the errors of each operation. \`…\` in a message stands for a value.

${titles.map(title => `- [${title}](#${anchor(title)})`).join('\n')}

A browser that reports a CORS error, or \`Failed to fetch\`: API keys and session tokens belong on your server, not in a page. Without them, a page can read an invoice, follow its WebSocket, start swaps, and read plans and rates.

${Object.entries<Readonly<Record<string, ApiError>>>(API_ERROR_GROUPS).map(section).join('\n')}`
}

function section([title, errors]: [title: string, errors: Readonly<Record<string, ApiError>>]): string {
  const entries = Object.entries(errors).filter(([, { code }]) => code === undefined)
  return `## ${title}\n\n${entries.map(entry).join('\n')}`
}

/** The heading of an entry is its anchor on every renderer of Markdown. */
function entry([code, { text, when, fix }]: [code: string, error: ApiError]): string {
  return `### \`${code}\`

${statusesOf(code).join(' or ')} \`${text}\`

${when} **What to do:** ${fix}
`
}

function statusesOf(code: string): number[] {
  return Object.entries<ApiError>(API_ERRORS).flatMap(([name, error]) =>
    (error.code ?? name) === code ? [STATUS[error.kind]] : [],
  )
}

function anchor(title: string): string {
  return title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-')
}
