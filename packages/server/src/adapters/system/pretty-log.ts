import { styleText } from 'node:util'

type Details = Readonly<Record<string, unknown>>

const COLORS = { error: 'red', warn: 'yellow', info: 'green', debug: 'gray' } as const
const LEVEL_WIDTH = 5
const INDENT = '    '

/**
 * Formats a log line of JSON for people: time, level, message, details as `name=value`, and errors with their stack on
 * separate lines. Colors only on a terminal. A line that is not JSON is returned as it is.
 */
export function formatPretty(line: string): string {
  let parsed: Details
  try {
    parsed = JSON.parse(line)
  } catch {
    return line
  }
  const { level, time, msg, err, ...details } = parsed
  const pairs = Object.entries(details).map(
    ([name, value]) => paint('gray', `${name}=`) + escapeControls(inline(value)),
  )
  const head = [paint('gray', String(time)), paintLevel(String(level)), escapeControls(String(msg ?? '')), ...pairs]
  return `${[head.join(' '), ...errorLines(err)].join('\n')}\n`
}

function paintLevel(level: string): string {
  const text = level.toUpperCase().padEnd(LEVEL_WIDTH)
  return level in COLORS ? paint(COLORS[level as keyof typeof COLORS], text) : text
}

function paint(color: Parameters<typeof styleText>[0], text: string): string {
  return styleText(color, text, { stream: process.stderr })
}

/** A plain word as it is, anything else as JSON. */
function inline(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

/** The stack of an error and of its causes, indented. */
function errorLines(err: unknown, prefix = ''): string[] {
  if (err === undefined || err === null) return []
  if (typeof err !== 'object') return [INDENT + prefix + escapeControls(String(err))]
  const { name, code, message, stack, cause } = err as Details
  const title = `${name}: ${message}`
  const text = prefix + (typeof code === 'string' ? `[${code}] ` : '') + (typeof stack === 'string' ? stack : title)
  return [...text.split('\n').map(line => INDENT + escapeControls(line)), ...errorLines(cause, 'caused by ')]
}

/** A value from outside must not move the cursor of a terminal or begin a new line. */
function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it replaces
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
