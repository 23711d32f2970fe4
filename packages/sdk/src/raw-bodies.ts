/**
 * The text of the member `body` of each object in a list, as the response has it: JSON.parse rounds large numbers.
 * @param json the text of a JSON list of objects, which JSON.parse accepts
 */
export function rawBodies(json: string): string[] {
  const bodies: string[] = []
  let depth = 0
  let start = 0
  let name = ''
  for (let at = 0; at < json.length; at++) {
    const char = json[at] as string
    if (char === '"') at = endOfString(json, at)
    else if ('{['.includes(char)) {
      if (++depth === 2) start = at + 1
    } else if (char === ':' && depth === 2) {
      name = JSON.parse(json.slice(start, at)) as string
      start = at + 1
    } else if (',}]'.includes(char)) {
      if (depth === 2 && name === 'body') bodies.push(json.slice(start, at).trim())
      if (depth === 2) {
        name = ''
        start = at + 1
      }
      if (char !== ',') depth--
    }
  }
  return bodies
}

/** The position of the quote that ends the string. @param start that of its first quote */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
