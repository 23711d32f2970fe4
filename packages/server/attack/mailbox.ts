/** A mail server for attacks on sign-in: as slow as a relay on the internet, and what an honest person does with it. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { fromClient, type Target } from './target.ts'

/** Each response of the mail server takes this long. A mail needs about four. */
const RESPONSE_MS = 50
const POLL_MS = 50

export interface SlowMailbox {
  readonly smtpUrl: string
  /** The codes mailed to an address, newest first. */
  codes(email: string): string[]
  count(): number
  close(): Promise<void>
}

export async function startSlowMailbox(): Promise<SlowMailbox> {
  const mailbox = await Mailbox.start()
  const { hostname, port } = new URL(mailbox.url)
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect({ host: hostname, port: Number(port) })
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.pipe(upstream)
    upstream.on('data', data => void sleep(RESPONSE_MS).then(() => client.write(data)))
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    codes: email => mailbox.mails(email).flatMap(({ code }) => code ?? []),
    count: () => mailbox.mails().length,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await mailbox.close()
    },
  }
}

/** Posts a form as a browser. Returns the status and the cookies. */
export async function postForm(
  { url }: Pick<Target, 'url'>,
  path: string,
  address: string,
  form: Readonly<Record<string, string>>,
  cookie = '',
): Promise<{ status: number; cookie: string }> {
  const headers = { ...fromClient(address), cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const response = await fetch(url + path, { method: 'POST', redirect: 'manual', headers, body })
  await response.arrayBuffer()
  return {
    status: response.status,
    cookie: response.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; '),
  }
}

/** Requests a code and enters it. Returns the cookies and the seconds it took; Infinity without a code in `maxSecs`. */
export async function signIn(
  target: Pick<Target, 'url'>,
  mailbox: SlowMailbox,
  { email, address, cookie = '' }: { email: string; address: string; cookie?: string },
  maxSecs: number,
): Promise<{ secs: number; cookie: string }> {
  const startedMs = performance.now()
  const secs = () => (performance.now() - startedMs) / 1000
  const never = { secs: Number.POSITIVE_INFINITY, cookie: '' }
  const before = new Set(mailbox.codes(email))
  const requested = await postForm(target, '/sign-in', address, { email }, cookie)
  if (requested.status !== 303) return never
  while (secs() < maxSecs) {
    for (const code of mailbox.codes(email).filter(code => !before.has(code))) {
      const entered = await postForm(target, '/sign-in/code', address, { code }, `${requested.cookie}; ${cookie}`)
      if (entered.status === 303) return { secs: secs(), cookie: entered.cookie }
      before.add(code)
    }
    await sleep(POLL_MS)
  }
  return never
}
