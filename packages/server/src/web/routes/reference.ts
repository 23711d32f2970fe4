import { DOCS } from '../components/nav.ts'
import type { Site } from '../context.ts'
import { GUIDES, GUIDES_PATH, type Guide, guidePath, renderGuide } from '../guides.ts'
import type { Html } from '../html.ts'
import { guideListPage, guidePage } from '../pages/guide.ts'
import { referencePage } from '../pages/reference.ts'

/** The reference of the API, rendered once for the public URL, which is known when the server listens, and the guides. */
export function referencePages(site: Site): void {
  const { publicPage, deps } = site
  let rendered: { readonly url: string; readonly page: Html } | undefined
  publicPage('GET', DOCS.href, async (_request, reply) => {
    reply.removeHeader('x-robots-tag')
    const url = deps.publicUrl()
    if (rendered?.url !== url) rendered = { url, page: referencePage(deps.apiDocument(), url) }
    return rendered.page
  })

  publicPage('GET', GUIDES_PATH, async (_request, reply) => {
    reply.removeHeader('x-robots-tag')
    return guideListPage()
  })
  for (const [name, guide] of Object.entries(GUIDES)) addGuide(site, name, guide)
}

/** A page that is rendered at its first view. A document that could not be read is read again at the next one. */
function addGuide({ publicPage }: Site, name: string, guide: Guide): void {
  let page: Promise<Html> | undefined
  publicPage('GET', guidePath(name), async (_request, reply) => {
    page ??= renderGuide(guide).then(body => guidePage(name, guide.title, body))
    try {
      const content = await page
      reply.removeHeader('x-robots-tag')
      return content
    } catch (error) {
      page = undefined
      throw error
    }
  })
}
