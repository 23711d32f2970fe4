/** The kind of a character: code, comment, or the contents of a string, template or regular expression. */
export type Kind = 'code' | 'comment' | 'string'

/** After these characters or words, `/` begins a regular expression; elsewhere it divides. */
const BEFORE_REGEX = /(?:^|[([{},;:=!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|void|delete|new|else))$/

interface Run {
  readonly kind: Kind
  readonly start: number
  readonly end: number
}

/**
 * Returns TypeScript source with every character outside the kept kinds replaced by a space. Line breaks stay, so that
 * offsets and line numbers are those of the source. Quotes count as code.
 */
export function keep(text: string, ...kinds: readonly Kind[]): string {
  return runsOf(text)
    .map(({ kind, start, end }) => {
      const part = text.slice(start, end)
      return kinds.includes(kind) ? part : part.replaceAll(/[^\n]/g, ' ')
    })
    .join('')
}

function runsOf(text: string): Run[] {
  const runs: Run[] = []
  // The depth of braces in each open template expression, innermost last.
  const templates: number[] = []
  let start = 0
  let offset = 0
  let code = ''

  function push(kind: Kind, end: number): void {
    if (end > start) runs.push({ kind, start, end })
    if (kind === 'code') code = (code + text.slice(start, end)).trimEnd().slice(-20)
    start = end
    offset = end
  }

  /** Adds code up to the current offset, then a run of another kind, without its delimiters of the given width. */
  function delimited(kind: Kind, end: number, width = 1): void {
    push('code', offset + width)
    push(kind, Math.max(end - 1, start))
  }

  while (offset < text.length) {
    const char = text[offset]!
    const rest = text.slice(offset, offset + 2)
    if (rest === '//' || rest === '/*' || (rest === '#!' && offset === 0)) {
      push('code', offset)
      const end = rest === '/*' ? text.indexOf('*/', offset + 2) + 2 : lineEnd(text, offset)
      push('comment', end < offset + 2 ? text.length : end)
    } else if (char === "'" || char === '"') {
      delimited('string', closing(text, offset + 1, char))
      offset++
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop()
      const end = templateEnd(text, offset + 1)
      push('code', offset + 1)
      push('string', end)
      if (text[end] === '$') {
        templates.push(0)
        offset = end + 2
      } else offset = end + 1
    } else if (char === '/' && BEFORE_REGEX.test((code + text.slice(start, offset)).trimEnd())) {
      delimited('string', regexEnd(text, offset + 1))
      offset++
    } else {
      const depth = templates.length - 1
      if (depth >= 0 && char === '{') templates[depth]!++
      if (depth >= 0 && char === '}') templates[depth]!--
      offset++
    }
  }
  push('code', text.length)
  return runs
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** The offset after the closing quote. */
function closing(text: string, from: number, quote: string): number {
  for (let offset = from; offset < text.length; offset++) {
    if (text[offset] === '\\') offset++
    else if (text[offset] === quote) return offset + 1
  }
  return text.length
}

/** The offset of the closing backtick or of the next `${`. */
function templateEnd(text: string, from: number): number {
  for (let offset = from; offset < text.length; offset++) {
    if (text[offset] === '\\') offset++
    else if (text[offset] === '`' || text.startsWith('${', offset)) return offset
  }
  return text.length
}

/** The offset after the closing slash; a slash inside a character class does not close. */
function regexEnd(text: string, from: number): number {
  let inClass = false
  for (let offset = from; offset < text.length && text[offset] !== '\n'; offset++) {
    if (text[offset] === '\\') offset++
    else if (text[offset] === '[') inClass = true
    else if (text[offset] === ']') inClass = false
    else if (text[offset] === '/' && !inClass) return offset + 1
  }
  return lineEnd(text, from)
}
