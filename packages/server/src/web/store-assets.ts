import type { FastifyInstance } from 'fastify'
import { type AccentColours, accentColours } from '../domain/account/accent.ts'
import { AppError } from '../domain/error.ts'
import type { StoreProfiles } from '../services/account/store-profile.ts'

/** Null: that of the reader's system. */
type Theme = 'light' | 'dark' | null

const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' } as const
/** The bytes are our own encoding of pixels. Opened by itself, the image runs nothing, whatever a browser takes it for. */
const LOGO_HEADERS = { ...IMMUTABLE, 'content-security-policy': "default-src 'none'; sandbox" } as const

const LOGO = /^([0-9a-f]{64})\.png$/
const ACCENT = /^([0-9a-f]{6})(?:-(light|dark))?\.css$/

/** The path of the style sheet that gives the class `accent` the colours of an accent. @param accent `#rrggbb` */
export function accentPath(accent: string, theme: Theme = null): string {
  return `/accent/${accent.slice(1)}${theme === null ? '' : `-${theme}`}.css`
}

/** Serves logos by their hash, and style sheets of accents, for which nothing is stored. */
export function storeAssetRoutes(app: FastifyInstance, { logo }: Pick<StoreProfiles, 'logo'>): void {
  const options = { config: { rate: 'read', access: 'public' } } as const

  app.get('/logo/:name', options, async (request, reply) => {
    const [, hash] = LOGO.exec(nameOf(request.params)) ?? []
    if (hash === undefined) throw new AppError('not_found')
    const etag = `"${hash}"`
    if (request.headers['if-none-match'] === etag)
      return reply
        .code(304)
        .headers({ ...LOGO_HEADERS, etag })
        .send()
    const image = await logo(hash)
    if (image === null) throw new AppError('not_found')
    return reply
      .headers({ ...LOGO_HEADERS, etag })
      .type('image/png')
      .send(image)
  })

  app.get('/accent/:name', options, async (request, reply) => {
    const [, hex, theme] = ACCENT.exec(nameOf(request.params)) ?? []
    if (hex === undefined) throw new AppError('not_found')
    return reply
      .headers(IMMUTABLE)
      .type('text/css; charset=utf-8')
      .send(accentSheet(`#${hex}`, (theme ?? null) as Theme))
  })
}

function nameOf(params: unknown): string {
  return (params as { name: string }).name
}

function accentSheet(accent: string, theme: Theme): string {
  const light = rule(accentColours(accent, 'light'))
  const dark = rule(accentColours(accent, 'dark'))
  if (theme !== null) return theme === 'light' ? light : dark
  return `${light}@media (prefers-color-scheme: dark) {\n${dark}}\n`
}

function rule({ accent, text, soft }: AccentColours): string {
  return `.accent {\n  --accent: ${accent};\n  --accent-text: ${text};\n  --accent-soft: ${soft};\n}\n`
}
