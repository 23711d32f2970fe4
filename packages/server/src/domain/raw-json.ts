/** The text of a JSON value that is sent as it is. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `JSON.stringify` of an object or a list of objects, whose members may be `RawJson`. Raw members come last. */
export function stringify(value: object): string {
  if (Array.isArray(value)) return `[${value.map(item => stringify(item as object)).join(',')}]`
  const members = Object.entries(value)
  const raw = members.filter((member): member is [string, RawJson] => member[1] instanceof RawJson)
  if (raw.length === 0) return JSON.stringify(value)
  const others = JSON.stringify(Object.fromEntries(members.filter(([, member]) => !(member instanceof RawJson))))
  const texts = raw.map(([name, { text }]) => `${JSON.stringify(name)}:${text}`).join(',')
  return others === '{}' ? `{${texts}}` : `${others.slice(0, -1)},${texts}}`
}

/**
 * The text of each member of an object, as `JSON.parse` reads it: of members with the same name the last one.
 * @param json the text of a JSON object, which `JSON.parse` accepts
 */
export function memberTexts(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let name: string | null = null
  let start = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = endOfString(json, at)
    else if (char === '{' || char === '[') {
      if (++depth === 1) start = at + 1
    } else if (char === ':' && depth === 1) {
      name = JSON.parse(json.slice(start, at)) as string
      start = at + 1
    } else if (char === ',' || char === '}' || char === ']') {
      if (depth === 1 && name !== null) members.set(name, json.slice(start, at).trim())
      if (depth === 1) {
        name = null
        start = at + 1
      }
      if (char !== ',') depth--
    }
  }
  return members
}

/** How deep objects and lists are nested in the text of a JSON value: 1 for `{}`. */
export function nestingOf(json: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = endOfString(json, at)
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth--
  }
  return deepest
}

/** The place of the quote that ends the string. @param start the place of its first quote */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
