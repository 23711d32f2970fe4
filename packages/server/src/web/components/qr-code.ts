import { encode } from 'uqr'
import { type Html, html } from '../html.ts'

/** A QR code as one SVG path. It is dark on light in both themes, since some scanners cannot read inverted codes. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'L', border: 3 })
  const path = data.flatMap((row, y) => runs(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)).join('')
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
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
