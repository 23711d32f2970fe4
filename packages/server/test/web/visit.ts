import assert from 'node:assert/strict'
import type { TestResponse } from '../harness/http-call.ts'

export interface Visit {
  readonly cookie?: string
  /** Fields, sent as an HTML form. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request as a browser does, without following redirects. @param line such as `POST /sign-in` */
export async function visit(site: { readonly url: string }, line: string, options: Visit = {}): Promise<TestResponse> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const { cookie, form, headers } = options
  const response = await fetch(site.url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie ? { cookie } : {}),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...headers,
    },
    body: form ? new URLSearchParams(form).toString() : null,
  })
  return { status: response.status, headers: response.headers, text: await response.text(), body: undefined }
}

/** Signs in as a browser does. The first sign-in creates the account. @returns the cookies */
export async function signIn(
  site: { readonly url: string },
  email: string,
  readCode: () => string | Promise<string>,
): Promise<string> {
  const requested = await visit(site, 'POST /sign-in', { form: { email } })
  assert.equal(requested.status, 303)
  const signedIn = await visit(site, 'POST /sign-in/code', {
    form: { code: await readCode() },
    cookie: cookiesOf(requested),
  })
  assert.equal(signedIn.headers.get('location'), '/overview')
  return cookiesOf(signedIn)
}

function cookiesOf({ headers }: TestResponse): string {
  return headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
}
