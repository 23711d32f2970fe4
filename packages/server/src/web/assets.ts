import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { compressible } from './compression.ts'

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' } as const

/** The static files of the pages. */
const NAMES = [
  'style.css',
  'style-light.css',
  'style-dark.css',
  'enhance.js',
  'live.js',
  'morph.js',
  'reference.js',
  'embed.js',
  'modal.js',
  'redirect.js',
  'choose.js',
  'keypad.js',
  'submit.js',
  'icon.svg',
] as const
export type AssetName = (typeof NAMES)[number]

const FOLDER = new URL('./assets/', import.meta.url)

const ASSETS: ReadonlyMap<AssetName, Buffer> = new Map(
  NAMES.map(name => [
    name,
    name.endsWith('.css') ? Buffer.from(styleSheet(name)) : readFileSync(new URL(name, FOLDER)),
  ]),
)

/** The service worker of the keypad, which is served in the folder of its scope. */
export const KEYPAD_WORKER = readFileSync(new URL('keypad-worker.js', FOLDER))

/** A hash of all files, in the path of each: they import each other, and an open page finds out that they have changed. */
export const ASSET_VERSION = [...ASSETS.values()]
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 16)

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
  return `/assets/${ASSET_VERSION}/${name}`
}

/** Serves the files as immutable, since changed content has a different path. */
export function assetRoutes(app: FastifyInstance): void {
  // Weak: it is that of every encoding.
  const etag = `W/"${ASSET_VERSION}"`
  for (const [name, bytes] of ASSETS) {
    const encoded = compressible(bytes)
    const type = TYPES[name.split('.')[1] as keyof typeof TYPES]
    app.get(assetPath(name), { config: { rate: 'read', access: 'public' } }, async (request, reply) => {
      reply.headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        etag,
        vary: 'accept-encoding',
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(await encoded(request, reply))
    })
  }
}
