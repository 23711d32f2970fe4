import { type Html, html } from '../../html.ts'

/** The name of a permission, which a narrow column may break after a dot. */
export function breakable(name: string): Html {
  return html`${name.split('.').map((part, i) => html`${i > 0 && html`.<wbr>`}${part}`)}`
}
