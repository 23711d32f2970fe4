import { AppError } from '../../domain/error.ts'
import type { Site } from '../context.ts'
import { GUIDES, guideLinks, guidePath, renderGuide } from '../guides.ts'
import type { Html } from '../html.ts'
import { guidePage } from '../pages/guide.ts'
import { referencePage } from '../pages/reference.ts'

/** The guides, and the reference of the API, rendered once for the public URL, which is known when the server listens. */
export function referencePages({ publicPage, deps }: Site): void {
  let rendered: { readonly url: string; readonly page: Html } | undefined
  publicPage('GET', '/docs', async (_request, reply) => {
    reply.removeHeader('x-robots-tag')
    const url = deps.publicUrl()
    if (rendered?.url !== url) rendered = { url, page: referencePage(deps.apiDocument(), url, guideLinks()) }
    return rendered.page
  })

  const pages = new Map<string, Promise<Html>>()
  publicPage('GET', guidePath(':guide'), async (request, reply) => {
    const { guide: name } = request.params as { guide: string }
    const guide = Object.hasOwn(GUIDES, name) ? GUIDES[name] : undefined
    if (!guide) throw new AppError('no_such_page')
    const page =
      pages.get(name) ?? renderGuide(guide).then(body => guidePage({ ...guide, links: guideLinks(name), body }))
    pages.set(name, page)
    page.catch(() => pages.delete(name))
    const content = await page
    reply.removeHeader('x-robots-tag')
    return content
  })
}
