import type { Site } from '../context.ts'
import type { Html } from '../html.ts'
import { referencePage } from '../pages/reference.ts'

/** The reference of the API, rendered once for the public URL, which is known when the server listens. */
export function referencePages({ publicPage, deps }: Site): void {
  let rendered: { readonly url: string; readonly page: Html } | undefined
  publicPage('GET', '/docs', async (_request, reply) => {
    reply.removeHeader('x-robots-tag')
    const url = deps.publicUrl()
    if (rendered?.url !== url) rendered = { url, page: referencePage(deps.apiDocument(), url) }
    return rendered.page
  })
}
