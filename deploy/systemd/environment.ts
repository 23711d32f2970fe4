// Runs a command with the variables of a file, as systemd reads it for EnvironmentFile=.
// Usage: node environment.ts FILE PROGRAM [ARGUMENT…]

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const NEWLINE = /[\n\r]/
const BLANK = /[ \t\n\r]/
/** After a backslash in double quotes, these lose it. Others keep it. */
const ESCAPED = /["\\`$]/

/**
 * The variables of an environment file. Follows `parse_env_file_internal` of systemd 257, line by line the same since 229.
 * @returns `ignored`: the names that systemd ignores
 * @throws Error for a comment that ends with a backslash: before systemd 254, it hides the next line
 */
export function parseEnvironment(text: string): { variables: Record<string, string>; ignored: string[] } {
  const variables: Record<string, string> = {}
  const ignored: string[] = []
  let state = 'before key'
  let key = ''
  let value = ''
  /** The length of the value without the blanks at its end. */
  let end = 0
  const add = () => {
    const name = key.trimEnd()
    const text = state === 'value' ? value.slice(0, end) : value
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) variables[name] = text
    else ignored.push(name)
    state = 'before key'
    key = value = ''
    end = 0
  }
  const append = (c: string) => {
    value += c
    if (!BLANK.test(c) || state !== 'value') end = value.length
  }
  for (const c of text) {
    const isNewline = NEWLINE.test(c)
    if (state === 'before key') {
      if (c === '#' || c === ';') state = 'comment'
      else if (!BLANK.test(c)) {
        state = 'key'
        key = c
      }
    } else if (state === 'comment') {
      if (c === '\\') state = 'comment escape'
      else if (isNewline) state = 'before key'
    } else if (state === 'comment escape') {
      if (isNewline) throw new Error('a comment ends with a backslash: remove it')
      state = 'comment'
    } else if (state === 'key') {
      if (c === '=') state = 'before value'
      else if (isNewline) state = 'before key'
      else key += c
    } else if (state === 'before value') {
      if (isNewline) add()
      else if (c === "'") state = 'single'
      else if (c === '"') state = 'double'
      else if (c === '\\') state = 'escape'
      else if (!BLANK.test(c)) {
        state = 'value'
        append(c)
      }
    } else if (state === 'value') {
      if (isNewline) add()
      else if (c === '\\') {
        state = 'escape'
        end = value.length
      } else append(c)
    } else if (state === 'escape') {
      if (!isNewline) append(c)
      state = 'value'
    } else if (state === 'single') {
      if (c === "'") state = 'before value'
      else append(c)
    } else if (state === 'double') {
      if (c === '"') state = 'before value'
      else if (c === '\\') state = 'double escape'
      else append(c)
    } else {
      state = 'double'
      if (ESCAPED.test(c)) append(c)
      else if (c !== '\n') append(`\\${c}`)
    }
  }
  if (!['before key', 'key', 'comment', 'comment escape'].includes(state)) add()
  return { variables, ignored }
}

function run(file: string, command: readonly string[]): void {
  const { variables, ignored } = parseEnvironment(
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)),
  )
  for (const name of ignored)
    process.stderr.write(`zatgate: ${file}: ${JSON.stringify(name)} is no name: ignored, as by systemd\n`)
  const environment: NodeJS.ProcessEnv = { ...process.env, ...variables }
  // The file decides where a secret is read from.
  for (const name of Object.keys(variables))
    if (name.endsWith('_FILE')) delete environment[name.slice(0, -'_FILE'.length)]
  process.execve?.('/usr/bin/env', ['env', '--', ...command], environment)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = '', ...command] = process.argv.slice(2)
  try {
    run(file, command)
  } catch (error) {
    process.stderr.write(`zatgate: ${file}: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
