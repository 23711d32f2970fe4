import { type Child, type Html, html } from '../html.ts'
import { plain } from '../text/dashboard.ts'

/** Text in full, with a copy button that a script enables. */
export function copyable(text: string, what: string): Html {
  return html`<span class="copyable"><code>${text}</code> ${copyButton(text, what)}</span>`
}

/** A button that copies `text`. `what` names it for screen readers. */
export function copyButton(text: string, what: string): Html {
  return copyButtonWith(text, plain('copy_what', { what }), plain('copy'))
}

/** @param label for screen readers @param word what stands on the button */
export function copyButtonWith(text: string, label: string, word: string): Html {
  return html`<button type="button" class="small" data-copy="${text}" aria-label="${label}" hidden>${word}</button>`
}

/** A secret that is shown only once. */
export function oneTimeSecret(title: Child, secret: string, hint: Child): Html {
  return html`<section class="card once" aria-labelledby="once-title">
    <h2 id="once-title">${title}</h2>
    <p>${copyable(secret, plain('the_secret'))}</p>
    <p class="hint">${hint}</p>
  </section>`
}
