import type { DashboardSummary } from '../../services/sale/dashboard.ts'
import { GUIDES, GUIDES_PATH, guidePath } from '../guides.ts'
import { type Child, type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'

/** The guides by which a shop is connected, in the order of the choice. */
const SHOP_GUIDES = ['sdk', 'php', 'python', 'clients'] as const

interface Step {
  readonly isDone: boolean
  readonly title: string
  readonly hint: Child
  readonly href: string
  readonly action: string
}

/** The steps from an empty account to a connected shop. Only the next step has a button. */
export function firstSteps({ viewingKey, invoice, apiKey }: DashboardSummary['setupSteps']): Html {
  const steps: readonly Step[] = [
    {
      isDone: viewingKey,
      title: plain('set_your_viewing_key'),
      hint: plain('step_viewing_key_hint'),
      href: '/viewing-key',
      action: plain('set_your_viewing_key'),
    },
    {
      isDone: invoice,
      title: plain('step_payment'),
      hint: plain('step_payment_hint'),
      href: '/invoices/new',
      action: plain('step_payment_action'),
    },
    {
      isDone: apiKey,
      title: plain('step_connect'),
      hint: connect(),
      href: '/api-keys',
      action: plain('step_connect_action'),
    },
  ]
  const next = steps.findIndex(step => !step.isDone)
  const items = steps.map((step, index) => item(step, index === next))
  return html`<section class="card" aria-labelledby="steps"><h2 id="steps">${say('steps')}</h2><ol class="steps">${items}</ol></section>`
}

function item({ isDone, title, hint, href, action }: Step, isNext: boolean): Html {
  return html`<li class="${isDone ? 'done' : isNext ? 'next' : 'later'}"${isNext && html` aria-current="step"`}>
      <div><h3>${title}${isDone && html` <span class="done-mark">${say('step_done_mark')}</span>`}</h3><p>${hint}</p></div>
      ${isNext && html`<a class="button primary" href="${href}">${action}</a>`}
    </li>`
}

function connect(): Html {
  const guides = SHOP_GUIDES.map(
    (name, index) => html`${index > 0 && ', '}<a href="${guidePath(name)}">${GUIDES[name]?.title}</a>`,
  )
  return say('step_connect_hint', { webhooks: guidePath('webhooks'), guides: html`${guides}`, all: GUIDES_PATH })
}
