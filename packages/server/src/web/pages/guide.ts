import { docsContents } from '../components/docs-contents.ts'
import { referencePage as frame } from '../components/layout.ts'
import { GUIDES, GUIDES_PATH, guidePath } from '../guides.ts'
import { type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'

/** The list of guides. */
export function guideListPage(): Html {
  const items = Object.entries(GUIDES).map(
    ([name, { title, about }]) =>
      html`<li><a href="${guidePath(name)}">${title}</a><span class="below">${about}</span></li>`,
  )
  return frame({
    title: plain('guides'),
    contents: docsContents(GUIDES_PATH),
    body: html`<article class="guide"><h1>${say('guides')}</h1>
      <p class="lead">${say('guides_lead')}</p>
      <ul class="guides">${items}</ul></article>`,
  })
}

/** @param name of the guide, as in its path */
export function guidePage(name: string, title: string, body: Html): Html {
  return frame({
    title,
    contents: docsContents(guidePath(name)),
    body: html`<article class="guide">${body}</article>`,
  })
}
