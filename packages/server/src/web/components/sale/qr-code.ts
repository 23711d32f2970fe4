import { encode } from 'uqr'
import { type Html, html } from '../../html.ts'

/** A QR code as one SVG path. It is dark on light in both themes, since some scanners cannot read inverted codes. */
export function qrCode(text: string, label: string): Html {
  const { size, modules } = drawn(text)
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/>${modules}</svg>`
}

/** Light modules on each side. The standard (ISO/IEC 18004) requires four. */
const QUIET_ZONE = 4

interface Drawing {
  /** Modules on each side, with the border. */
  readonly size: number
  /** The dark modules as a path. */
  readonly modules: Html
}

/** Pages are viewed again and again, and drawing takes milliseconds: the codes used last, of about 15 KB each. */
const MAX_DRAWINGS = 500
const drawings = new Map<string, Drawing>()

function drawn(text: string): Drawing {
  const drawing = drawings.get(text) ?? draw(text)
  drawings.delete(text)
  drawings.set(text, drawing)
  if (drawings.size > MAX_DRAWINGS) drawings.delete(drawings.keys().next().value as string)
  return drawing
}

function draw(text: string): Drawing {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE })
  const path = data.flatMap((row, y) => runs(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)).join('')
  return { size, modules: html`<path d="${path}" fill="#000"/>` }
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
