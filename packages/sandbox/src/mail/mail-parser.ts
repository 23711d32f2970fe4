/** The readable parts of a mail. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

interface Part {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Parts nested more deeply are ignored. */
const MAX_DEPTH = 4

/** Parses the subject and the plain text of an RFC 5322 message. Supports RFC 2047, quoted-printable, base64, UTF-8 and Latin-1. */
export function parseMail(raw: Buffer): MailText {
  const mail = splitPart(raw)
  return { subject: decodeWords(mail.headers.get('subject') ?? ''), text: plainText(mail, 0) ?? '' }
}

function splitPart(raw: Buffer): Part {
  const end = raw.indexOf('\r\n\r\n')
  const head = (end < 0 ? raw : raw.subarray(0, end)).toString('utf8')
  const body = end < 0 ? Buffer.alloc(0) : raw.subarray(end + 4)
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const headers = unfolded.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: new Map(headers), body }
}

/** The first text/plain part. */
function plainText({ headers, body }: Part, depth: number): string | undefined {
  const type = headers.get('content-type') ?? 'text/plain'
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
  if (/^multipart\//i.test(type) && boundary !== undefined && depth < MAX_DEPTH) {
    const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1)
    for (const part of parts) {
      const text = plainText(splitPart(Buffer.from(part.replace(/^\r\n/, ''), 'latin1')), depth + 1)
      if (text !== undefined) return text
    }
    return undefined
  }
  if (!/^text\/plain/i.test(type)) return undefined
  const charset = /charset="?([^";]+)"?/i.exec(type)?.[1]
  const decoded = decodeTransfer(body, headers.get('content-transfer-encoding'))
  return toText(decoded, charset).replaceAll('\r\n', '\n').trimEnd()
}

function decodeTransfer(body: Buffer, encoding = '7bit'): Buffer {
  if (/^base64$/i.test(encoding)) return Buffer.from(body.toString('latin1'), 'base64')
  if (/^quoted-printable$/i.test(encoding)) return decodeQuoted(body.toString('latin1').replaceAll(/=\r\n/g, ''))
  return body
}

function decodeQuoted(text: string): Buffer {
  const decoded = text.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(decoded, 'latin1')
}

/** Decodes RFC 2047 encoded words. White space between two encoded words is dropped. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, encoding: string, word: string) => {
      const bytes = /b/i.test(encoding) ? Buffer.from(word, 'base64') : decodeQuoted(word.replaceAll('_', ' '))
      return toText(bytes, charset)
    })
}

function toText(bytes: Buffer, charset = 'utf-8'): string {
  return bytes.toString(/^(iso-8859-1|latin1)$/i.test(charset) ? 'latin1' : 'utf8')
}
