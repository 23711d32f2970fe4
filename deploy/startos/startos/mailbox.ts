/** Reads the mailbox of this server through its HTTP API. This file imports nothing, so that tests run it. */

const TIMEOUT_MS = 5_000
const NEWEST = 5
const MAX_TEXT = 2_000

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** ISO 8601. */
  readonly at: string
}

interface Summary {
  readonly ID: string
  readonly Subject: string
  readonly Created: string
  readonly To: readonly { readonly Address: string }[]
}

/** The newest mails, newest first. @param url of the mailbox, without a path */
export async function newestMails(url: string): Promise<Mail[]> {
  const { messages } = (await read(`${url}/api/v1/messages?limit=${NEWEST}`)) as { messages: readonly Summary[] }
  return Promise.all(
    messages.map(async ({ ID, Subject, Created, To }) => {
      const { Text } = (await read(`${url}/api/v1/message/${encodeURIComponent(ID)}`)) as { Text: string }
      const to = To.map(({ Address }) => Address).join(', ')
      return { to, subject: Subject, at: Created, text: Text.slice(0, MAX_TEXT) }
    }),
  )
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`the mailbox responded with status ${response.status}`)
  return response.json()
}
