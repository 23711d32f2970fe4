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

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/**
 * The text of each member of an object, as `JSON.parse` reads it: of members with the same name the last one.
 * @param json the text of a JSON object, which `JSON.parse` accepts
 */
export function memberTexts(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let name: string | null = null
  let start: number | null = null
  let end = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth--
    const isBetween = (depth === 1 && token === ',') || depth === 0
    if (isBetween && name !== null && start !== null) {
      members.set(name, json.slice(start, end))
      name = null
      start = null
    } else if (depth === 1 && name === null && token.startsWith('"')) name = JSON.parse(token) as string
    else if (name !== null && start === null && token !== ':') start = index
    if (token === '{' || token === '[') depth++
    end = index + token.length
  }
  return members
}

/** How deep objects and lists are nested in the text of a JSON value: 1 for `{}`. */
export function nestingOf(json: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth)
    if (token === '}' || token === ']') depth--
  }
  return deepest
}
