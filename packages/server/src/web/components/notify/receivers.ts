import { guidePath } from '../../guides.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Receiver } from '../../receivers.ts'
import { copyButton } from '../copyable.ts'

/** Receivers for the webhook of an account, one of which is shown at a time. */
export function receiverSection(receivers: readonly Receiver[]): Html {
  return html`<section class="card" aria-labelledby="receiver"><h2 id="receiver">Receive events on your server</h2>
    <p class="hint">Each of these programs verifies a delivery and answers it at the path of your URL. Pass the signing secret in the environment variable <code>ZATGATE_WEBHOOK_SECRET</code>. The program listens on its own machine only: your web server passes requests on to it. More in <a href="${guidePath('webhooks')}">Webhooks</a>.</p>
    <div class="programs">${receivers.map(choice)}</div></section>`
}

function choice({ language, fileName, code, start }: Receiver, index: number): Html {
  return html`<details name="receiver"${booleanAttribute('open', index === 0)}><summary>${language}</summary>
    <p>Save it as <code>${fileName}</code>, and start it with <code>${start}</code>.</p>
    <div class="block"><pre tabindex="0"><code>${code}</code></pre>${copyButton(code, `the receiver in ${language}`)}</div></details>`
}
