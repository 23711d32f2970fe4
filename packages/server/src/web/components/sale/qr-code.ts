import { encode } from 'uqr'
import { type Html, html } from '../../html.ts'
import { livePart } from '../live.ts'

/** Light modules on each side. The standard (ISO/IEC 18004) requires four. */
const QUIET_ZONE = 4

/** Pages are viewed again and again, and drawing takes milliseconds: the codes used last, of about 8 KB each. */
const MAX_DRAWINGS = 500
const drawings = new Map<string, Html>()

/** A QR code, which the open page keeps while the text is the same. */
export function qrCode(text: string, label: string): Html {
  const key = `${label}: ${text}`
  const drawing = drawings.get(key) ?? livePart('qr', draw(text, label))
  drawings.delete(key)
  drawings.set(key, drawing)
  if (drawings.size > MAX_DRAWINGS) drawings.delete(drawings.keys().next().value as string)
  return drawing
}

/**
 * One SVG path, whose strokes are the dark modules. It is dark on light in both themes, since some scanners cannot read
 * inverted codes.
 */
function draw(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE })
  const path = data.map(rowPath).join('')
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" stroke="#000"/></svg>`
}

/** The strokes through the middle of a row, each from the end of the previous one. */
function rowPath(row: readonly boolean[], y: number): string {
  let at = 0
  const strokes = runs(row).map(([x, length], index) => {
    const move = index === 0 ? `M${x} ${y}.5` : `m${x - at} 0`
    at = x + length
    return `${move}h${length}`
  })
  return strokes.join('')
}

/** The dark runs of a row as [start, length]. */
function runs(row: readonly boolean[]): [number, number][] {
  const found: [number, number][] = []
  for (let x = 0; x < row.length; x++) {
    const last = found.at(-1)
    if (!row[x]) continue
    if (last && last[0] + last[1] === x) last[1] += 1
    else found.push([x, 1])
  }
  return found
}
