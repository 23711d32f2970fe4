import type { StoreProfile } from '../../../domain/account/store-profile.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { textIn } from '../../text/text.ts'
import { mark } from '../buyer/mark.ts'
import { shopHeader, shopOf, supportLink } from '../buyer/shop.ts'
import { steps } from '../buyer/steps.ts'
import { orderOf, sum } from '../buyer/sum.ts'

const FRAMES = [
  { device: 'phone', state: 'to pay', label: plain('preview_phone_to_pay') },
  { device: 'phone', state: 'paid', label: plain('preview_phone_paid') },
  { device: 'desktop', state: 'to pay', label: plain('preview_desktop_to_pay') },
  { device: 'desktop', state: 'paid', label: plain('preview_desktop_paid') },
] as const

type Frame = (typeof FRAMES)[number]

/** The checkout in small, as buyers see it with a profile. Nothing in it can be clicked or paid. */
export function storePreview(profile: StoreProfile): Html {
  return html`<section class="card store-preview${profile.accent !== null && ' accent'}" aria-labelledby="preview">
    <h2 id="preview">${say('preview')}</h2>
    <p class="hint">${say('preview_hint')}</p>
    <div class="store-frames">${FRAMES.map(frame => figure(profile, frame))}</div>
  </section>`
}

function figure(profile: StoreProfile, { device, state, label }: Frame): Html {
  const shop = shopOf(profile)
  return html`<figure><div class="store-frame store-${device}" inert aria-hidden="true">
      <div class="card checkout">${shopHeader(shop, false)}${state === 'paid' ? paid(profile) : toPay()}</div>
      <p class="checkout-foot">${supportLink(shop, TEXT)}<span>${TEXT.say('made_with')}</span></p>
    </div><figcaption class="hint">${label}</figcaption></figure>`
}

/** A language of the pages for buyers. The dashboard has none. */
const TEXT = textIn('en')

const ORDER = html`${orderOf(TEXT, { orderId: '1001', description: 'T-shirt' })}${sum('25.00 EUR', '0.625 ZEC')}`

function toPay(): Html {
  return html`<p class="store-code"></p>
    <div>${ORDER}${steps(TEXT, { reached: 0, confirmed: 0, needed: 3 })}
    <p><span class="button primary full">${TEXT.say('open_wallet')}</span></p></div>`
}

function paid({ name, afterPayment }: StoreProfile): Html {
  return html`<div>${mark('paid')}${ORDER}${steps(TEXT, { reached: 2, confirmed: 3, needed: 3 })}
    <p class="center"><b>${TEXT.say('title_paid')}</b></p>
    <p><span class="button primary full">${TEXT.say('back_to', { shop: name ?? 'shop.example' })}</span></p>
    ${afterPayment === 'return' && html`<p class="center hint">${TEXT.say('returning_to', { shop: name ?? 'shop.example' })}</p>`}</div>`
}
