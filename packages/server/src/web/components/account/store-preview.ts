import type { StoreProfile } from '../../../domain/account/store-profile.ts'
import { logoPath } from '../../../http/routes/account/store-profile.ts'
import { bigAmount } from '../../format.ts'
import { type Html, html } from '../../html.ts'

const FRAMES = [
  { device: 'phone', state: 'to pay', label: 'Phone, to pay' },
  { device: 'phone', state: 'paid', label: 'Phone, paid' },
  { device: 'desktop', state: 'to pay', label: 'Desktop, to pay' },
  { device: 'desktop', state: 'paid', label: 'Desktop, paid' },
] as const

type Frame = (typeof FRAMES)[number]

/** The checkout in small, as buyers see it with a profile. Nothing in it can be clicked or paid. */
export function storePreview(profile: StoreProfile): Html {
  return html`<section class="card store-preview${profile.accent !== null && ' accent'}" aria-labelledby="preview">
    <h2 id="preview">Preview</h2>
    <p class="hint">With the colours of your system. Buyers see those of theirs.</p>
    <div class="store-frames">${FRAMES.map(frame => figure(profile, frame))}</div>
  </section>`
}

function figure(profile: StoreProfile, { device, state, label }: Frame): Html {
  return html`<figure><div class="store-frame store-${device}" inert aria-hidden="true">
      ${shopLine(profile)}
      <div class="card checkout">${state === 'paid' ? paid(profile) : toPay()}</div>
      ${profile.support !== null && html`<p class="center hint">Get help</p>`}
    </div><figcaption class="hint">${label}</figcaption></figure>`
}

/** The logo and the name of a shop. */
function shopLine({ name, logo }: StoreProfile): Html | false {
  if (name === null && logo === null) return false
  return html`<p class="store-line">${logo !== null && html`<img src="${logoPath(logo)}" alt="">`}${name !== null && html`<b><bdi>${name}</bdi></b>`}</p>`
}

const SUM = html`${bigAmount('25.00 EUR')}<p class="below center">0.625 ZEC</p>`

function toPay(): Html {
  return html`<p class="store-code"></p>
    <div><p class="center">Order 1001 · T-shirt</p>${SUM}
    <p><span class="button primary full">Open in your wallet</span></p></div>`
}

function paid({ name, afterPayment }: StoreProfile): Html {
  return html`<svg class="mark mark-good" viewBox="0 0 48 48"><circle cx="24" cy="24" r="24"/><path d="M15 25l6 6 12-13"/></svg>
    <div><p class="center"><b>Paid</b></p>${SUM}
    <p><span class="button primary full">Back to <bdi>${name ?? 'the shop'}</bdi></span></p>
    ${afterPayment === 'return' && html`<p class="center hint">The shop opens by itself.</p>`}</div>`
}
