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
