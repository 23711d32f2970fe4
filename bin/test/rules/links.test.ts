import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DOCUMENTS, none, readText } from './sources.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The sites that documents name. The tests have no network: the list finds a mistyped name, and not a page that is gone. */
const SITES = [
  '1click.chaindefuser.com',
  'docs.near-intents.org',
  'caddyserver.com',
  'docs.start9.com',
  'github.com',
  'hhanh00.github.io',
  'keepachangelog.com',
  'deb.nodesource.com',
  'nodejs.org',
  'pypi.org',
  'semver.org',
  'testnet.zec.rocks',
  'www.standardwebhooks.com',
  'zec.rocks',
]
/** Names that belong to no one (RFC 2606). */
const RESERVED = /(^|\.)(example\.(com|net|org)|example|invalid|test)$/
/** This machine, and names without a dot: other containers of the same host. */
const LOCAL = /^(127\.0\.0\.1|localhost|[^.]+)$/

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/```.*?```/gs, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link of a document leads to a file, and to a heading of it', () => {
  assert.ok(DOCUMENTS.length >= 10)
  const broken = DOCUMENTS.flatMap(document => {
    const text = readText(document).replace(/```.*?```/gs, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter(target => !/^[a-z]+:/.test(target))
      .filter(target => {
        const [file = '', anchor] = target.split('#')
        const path = file === '' ? join(ROOT, document) : join(ROOT, dirname(document), file)
        return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor))
      })
      .map(target => `${document}: ${target}`)
  })
  none(broken)
})

/** The addresses of the web in a document, also those in its blocks, each with its document. */
function addressesIn(document: string): { readonly address: string; readonly url: URL | null }[] {
  const found = readText(document).matchAll(/\b(?:https?|wss?):\/\/[\w[][^\s<>()"'`|,$\\]*/g)
  return [...found].map(([address]) => ({ address: `${document}: ${address}`, url: URL.parse(address) }))
}

test('every address in a document is well-formed, of a listed site or a reserved name, and encrypted outside of the machine', () => {
  const addresses = DOCUMENTS.flatMap(addressesIn)
  const wrong = addresses.filter(({ url }) => {
    if (url === null) return true
    if (LOCAL.test(url.hostname)) return false
    return !/^(https|wss):$/.test(url.protocol) || !(RESERVED.test(url.hostname) || SITES.includes(url.hostname))
  })
  none(wrong.map(({ address }) => address))
  const hosts = new Set(addresses.map(({ url }) => url?.hostname))
  none(SITES.filter(site => !hosts.has(site)))
})
