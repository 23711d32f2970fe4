import { SECRET_PREFIXES } from '../../domain/account/credential.ts'

/**
 * Never written in full: UUIDs that act as credentials, API keys, tokens, viewing keys, passwords in URLs. None of them
 * begins at a word boundary: in a line of JSON the end of an escape, as in `\nzg_`, may precede it. No part of a pattern
 * can match what the next part begins with without a bound, so the time grows with the length of the text only.
 */
const UUID = /([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const CREDENTIAL = new RegExp(`(${SECRET_PREFIXES.join('|')})[0-9A-Za-z+/=]+`, 'g')
const VIEWING_KEY =
  /((?:u(?:view|ivk|vf|vi|rview|rivk)|zxview[a-z]{0,20}|zivk[a-z]{0,20}|secret-[a-z-]{0,40})(?:test|regtest)?1)[a-z0-9]+/g
const URL_PASSWORD = /(:\/\/[^\s:@/"]*:)[^\s@/"]+@/g

/** Longer than a secret that `redact` recognises by its end, or by its length. */
const MARGIN_CHARS = 1_000

/** Shortens each secret in a text to its prefix. */
export function redact(text: string): string {
  return text.replace(UUID, '$1…').replace(CREDENTIAL, '$1…').replace(VIEWING_KEY, '$1…').replace(URL_PASSWORD, '$1…@')
}

/** Cuts a text to about `maxChars` characters, at most 1,000 more, and never inside a secret. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars + MARGIN_CHARS) return text
  // A secret that the first cut divides lies in the margin, which the second one removes.
  const kept = redact(text.slice(0, maxChars + MARGIN_CHARS)).slice(0, -MARGIN_CHARS)
  return `${kept}… (${text.length} characters)`
}
