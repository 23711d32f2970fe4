import { inflateSync } from 'node:zlib'

/** The text of the pages of a PDF that Chromium has printed, without spaces: it places each word by itself. */
export function pdfPages(file: Buffer): string[] {
  const objects = new Map(
    [...file.toString('latin1').matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj/gm)].map(([, id, body = '']) => [id, body]),
  )
  const referenced = (body: string, name: string) =>
    objects.get(new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1]) ?? ''
  const pages = [...objects.values()].filter(body => /\/Type \/Page\b/.test(body))
  return pages.map(page => {
    const fonts = new Map(
      [...page.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => {
        const font = objects.get(id) ?? ''
        return [name, charactersOf(inflated(referenced(font, 'ToUnicode')))]
      }),
    )
    let font: ReadonlyMap<number, string> | undefined
    let text = ''
    for (const [, name, glyphs = ''] of inflated(referenced(page, 'Contents')).matchAll(
      /\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>/g,
    )) {
      if (name !== undefined) font = fonts.get(name)
      for (const glyph of glyphs.match(/.{4}/g) ?? []) text += font?.get(Number.parseInt(glyph, 16)) ?? '?'
    }
    return text.replace(/\s/g, '')
  })
}

function inflated(object: string): string {
  const [, stream = ''] = /stream\r?\n([\s\S]*)\nendstream/.exec(object) ?? []
  return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
}

/** The characters of a font by the numbers of its glyphs. */
function charactersOf(map: string): Map<number, string> {
  const characters = new Map<number, string>()
  const set = (glyph: number, code: string, offset = 0) =>
    characters.set(glyph, String.fromCodePoint(Number.parseInt(code, 16) + offset))
  for (const [, chars = ''] of map.matchAll(/beginbfchar\n([\s\S]*?)endbfchar/g))
    for (const [, glyph = '', code = ''] of chars.matchAll(/<(\w+)> <(\w+)>/g)) set(Number.parseInt(glyph, 16), code)
  for (const [, ranges = ''] of map.matchAll(/beginbfrange\n([\s\S]*?)endbfrange/g))
    for (const [, from = '', to = '', code = ''] of ranges.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let glyph = Number.parseInt(from, 16); glyph <= Number.parseInt(to, 16); glyph++)
        set(glyph, code, glyph - Number.parseInt(from, 16))
  return characters
}
