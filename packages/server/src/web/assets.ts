import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' } as const

/** The static files of the pages. Their paths contain a hash of the content. */
const NAMES = [
  'style.css',
  'style-light.css',
  'style-dark.css',
  'enhance.js',
  'reference.js',
  'embed.js',
  'icon.svg',
] as const
type AssetName = (typeof NAMES)[number]

const FOLDER = new URL('./assets/', import.meta.url)

interface Asset {
  readonly path: string
  readonly type: string
  readonly etag: string
  readonly bytes: Buffer
}

const ASSETS: ReadonlyMap<AssetName, Asset> = new Map(NAMES.map(name => [name, load(name)]))

function load(name: AssetName): Asset {
  const bytes = name.endsWith('.css') ? Buffer.from(styleSheet(name)) : readFileSync(new URL(name, FOLDER))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const [stem, extension] = name.split('.') as [string, keyof typeof TYPES]
  return { path: `/assets/${stem}.${digest}.${extension}`, type: TYPES[extension], etag: `"${digest}"`, bytes }
}

/** Joins the files in `style/` in the order of their names. `style-light.css` and `style-dark.css` have one theme only. */
function styleSheet(name: string): string {
  const folder = new URL('style/', FOLDER)
  const both = readdirSync(folder)
    .sort()
    .map(file => readFileSync(new URL(file, folder), 'utf8'))
    .join('')
  const [, theme] = /-(light|dark)\./.exec(name) ?? []
  if (theme === undefined) return both
  return both
    .replaceAll('color-scheme: light dark', `color-scheme: ${theme}`)
    .replaceAll('@media (prefers-color-scheme: dark)', theme === 'dark' ? '@media all' : '@media not all')
}

/** The URL path of an asset. */
export function assetPath(name: AssetName): string {
  return (ASSETS.get(name) as Asset).path
}

/** Serves the files as immutable, since changed content has a different path. */
export function assetRoutes(app: FastifyInstance): void {
  for (const { path, type, etag, bytes } of ASSETS.values()) {
    app.get(path, { config: { rate: 'read' }, schema: { hide: true } }, (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        etag,
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(bytes)
    })
  }
}
