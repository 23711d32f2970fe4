import { isPrintable } from '../text.ts'

/** A signing secret is this prefix and the base64 of 32 random bytes (https://www.standardwebhooks.com). */
export const WEBHOOK_SECRET_PREFIX = 'whsec_'

/** The seal context of an account's signing secret. */
export function webhookSecretSealContext(accountId: number) {
  return { table: 'webhooks', column: 'secret', row: accountId } as const
}

export const TEST_EVENT_BODY = '{"type":"test","invoice_id":null}'

export const MAX_WEBHOOK_URL_CHARS = 2_048

/** Describes why a webhook URL is invalid; null for a valid one. The address is checked at each connection. */
export function webhookUrlProblem(text: string, allowHttp: boolean): string | null {
  if (text.length > MAX_WEBHOOK_URL_CHARS) return `at most ${MAX_WEBHOOK_URL_CHARS} characters`
  if (/\s/.test(text) || !isPrintable(text)) return 'no spaces and no invisible characters'
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL, such as https://shop.example/webhook'
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must start with https://'
  if (!/^https?:\/\//i.test(text)) return 'must be an absolute URL, such as https://shop.example/webhook'
  if (url.username !== '' || url.password !== '') return 'no user name or password'
  if (text.includes('#')) return 'no fragment'
  return null
}
