import assert from 'node:assert/strict'
import type { TestResponse } from '../harness/http-call.ts'
import type { SandboxService } from '../harness/service.ts'
import { visit } from './visit.ts'

/** A client that keeps cookies like a browser. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly harness: SandboxService

  constructor(harness: SandboxService) {
    this.harness = harness
  }

  async request(
    line: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await visit(this.harness, line, { cookie, headers, ...(form && { form }) })
    for (const setCookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  async signIn(email: string): Promise<string> {
    const mails = this.harness.sandbox.mailbox.mails(email).filter(mail => mail.code !== undefined).length
    await this.request('POST /sign-in', { email })
    const code = await this.harness.codeFor(email, mails + 1)
    assert.equal((await this.request('POST /sign-in/code', { code })).status, 303)
    return this.cookies.get('__Host-zatgate') as string
  }
}

/** Opens a browser that is signed in. Creates the account if there is none. */
export async function openVisitor(
  harness: SandboxService,
  email: string,
): Promise<{ readonly visitor: Visitor; readonly token: string }> {
  const visitor = new Visitor(harness)
  return { visitor, token: await visitor.signIn(email) }
}

/** Sets until when a session counts as recently authenticated, in Unix seconds. */
export async function setRecentAuth({ service }: SandboxService, token: string, until: number): Promise<void> {
  const found = await service.sessions.authenticate(token)
  assert.ok(found)
  await service.store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(found.session.id, until))
}

/** Ends the time in which a session counts as recently authenticated. */
export const expireRecentAuth = (harness: SandboxService, token: string) => setRecentAuth(harness, token, 0)

/** The hidden field of the form on the page Export. */
export async function exportForm(visitor: Visitor): Promise<{ token: string }> {
  const { text } = await visitor.request('GET /export')
  const token = /name="token" value="([\w-]+)"/.exec(text)?.[1]
  assert.ok(token)
  return { token }
}
