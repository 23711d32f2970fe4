import { guidePath } from '../../guides.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Receiver } from '../../receivers.ts'
import { plain, say } from '../../text/dashboard.ts'
import { copyButton } from '../copyable.ts'

/** Receivers for the webhook of an account, one of which is shown at a time. */
export function receiverSection(receivers: readonly Receiver[]): Html {
  return html`<section class="card" aria-labelledby="receiver"><h2 id="receiver">${say('receiver')}</h2>
    <p class="hint">${say('receiver_hint', { variable: html`<code>ZATGATE_WEBHOOK_SECRET</code>`, guide: guidePath('webhooks') })}</p>
    <div class="programs">${receivers.map(choice)}</div></section>`
}

function choice({ language, fileName, code, start }: Receiver, index: number): Html {
  return html`<details name="receiver"${booleanAttribute('open', index === 0)}><summary>${language}</summary>
    <p>${say('receiver_start', { file: html`<code>${fileName}</code>`, command: html`<code>${start}</code>` })}</p>
    <div class="block"><pre tabindex="0"><code>${code}</code></pre>${copyButton(code, plain('the_receiver', { language }))}</div></details>`
}
