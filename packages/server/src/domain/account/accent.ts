/** The colours that a page makes of an accent, in one theme, as `#rrggbb`. */
export interface AccentColours {
  /** The ground of buttons, and the colour of links and steps. */
  readonly accent: string
  /** Text upon it. */
  readonly text: string
  /** A ground for text in the accent's colour. */
  readonly soft: string
}

/** The least contrast of text (WCAG 2.2, success criterion 1.4.3). */
export const MIN_CONTRAST = 4.5

type Rgb = readonly [red: number, green: number, blue: number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]

/** The grounds of the pages, see `web/assets/style/1-base.css`. An accent that is read on `worst` is read on the others. */
export const GROUNDS = {
  light: { card: '#ffffff', worst: '#efefea' },
  dark: { card: '#1c1e1b', worst: '#262824' },
} as const

const SOFT_SHARE = 0.14
const STEP = 0.02

/**
 * The colours of a theme. The accent stays as it is where it can be read on the grounds of the theme; otherwise it is made
 * darker, or lighter in the dark theme, until it can.
 * @param accent `#rrggbb`
 */
export function accentColours(accent: string, theme: keyof typeof GROUNDS): AccentColours {
  const [card, worst] = [parse(GROUNDS[theme].card), parse(GROUNDS[theme].worst)]
  const given = parse(accent)
  const end = theme === 'light' ? BLACK : WHITE
  const readable = firstOf(
    share => mixed(given, end, share),
    colour => contrast(colour, worst) >= MIN_CONTRAST,
  )
  const text = contrast(readable, WHITE) >= contrast(readable, BLACK) ? WHITE : BLACK
  const soft = firstOf(
    share => mixed(card, readable, Math.max(0, SOFT_SHARE - share)),
    colour => contrast(readable, colour) >= MIN_CONTRAST,
  )
  return { accent: format(readable), text: format(text), soft: format(soft) }
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2, definition of contrast ratio). @param one `#rrggbb` */
export function contrastRatio(one: string, other: string): number {
  return contrast(parse(one), parse(other))
}

/** The colour of the least share that is good enough. That of the whole is. */
function firstOf(colourOf: (share: number) => Rgb, isGood: (colour: Rgb) => boolean): Rgb {
  for (let share = 0; share < 1; share += STEP) if (isGood(colourOf(share))) return colourOf(share)
  return colourOf(1)
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [part(0), part(1), part(2)]
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, definition of relative luminance. */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map(value => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parse(hex: string): Rgb {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

function format(colour: Rgb): string {
  return `#${colour.map(value => value.toString(16).padStart(2, '0')).join('')}`
}
