import type { Tokens } from 'marked'
import { copyButton } from './components/copyable.ts'
import { Html, html } from './html.ts'
import { plain } from './text/dashboard.ts'

/**
 * Renders a document of the project, in GitHub's Markdown. HTML in it is shown as text.
 * @param hrefOf where a link leads; null: it is shown as text
 */
export async function renderMarkdown(text: string, hrefOf: (href: string) => string | null): Promise<Html> {
  // Read with the first guide only: a service without readers of guides does without it.
  const { Marked } = await import('marked')
  const used = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens, text: title }: Tokens.Heading): string {
        const tag = new Html(`h${depth}`)
        const id = anchorOf(title, used)
        return html`<${tag} id="${id}">${new Html(this.parser.parseInline(tokens))}</${tag}>\n`.text
      },
      code: ({ text: code }: Tokens.Code): string =>
        html`<div class="block"><pre tabindex="0"><code>${code}</code></pre>${copyButton(code, plain('the_block'))}</div>\n`
          .text,
      codespan: ({ text: code }: Tokens.Codespan): string => html`<code>${code}</code>`.text,
      html: ({ text: markup }: Tokens.HTML | Tokens.Tag): string => html`${markup}`.text,
      image: ({ text: alternative }: Tokens.Image): string => html`${alternative}`.text,
      link({ href, tokens }: Tokens.Link): string {
        const label = new Html(this.parser.parseInline(tokens))
        const target = hrefOf(href)
        return target === null ? label.text : html`<a href="${target}">${label}</a>`.text
      },
    },
  })
  const body = await marked.parse(text)
  return new Html(
    body.replaceAll('<table>', '<div class="wide-table" tabindex="0"><table>').replaceAll('</table>', '</table></div>'),
  )
}

/** The anchor that GitHub gives to a heading: a repeated one gets a number. */
function anchorOf(title: string, used: Map<string, number>): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  const before = used.get(slug) ?? 0
  used.set(slug, before + 1)
  return before === 0 ? slug : `${slug}-${before}`
}
