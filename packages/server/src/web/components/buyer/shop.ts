import { EMPTY_STORE, type StoreProfile, supportHref } from '../../../domain/account/store-profile.ts'
import { logoPath } from '../../../http/routes/account/store-profile.ts'
import { type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

/** A shop as its buyers see it. Null: not given. */
export interface Shop {
  readonly name: string | null
  /** The path of its logo. */
  readonly logo: string | null
  /** Its colour, `#rrggbb`. */
  readonly accent: string | null
  /** An https: or mailto: address for questions. */
  readonly support: string | null
  readonly website: string | null
  /** The language of its pages where nothing else decides. */
  readonly locale: string | null
}

export function shopOf(profile: StoreProfile): Shop {
  const { name, logo, accent, website, locale } = profile
  return {
    name,
    logo: logo === null ? null : logoPath(logo),
    accent,
    support: supportHref(profile),
    website,
    locale,
  }
}

/** A shop of which nothing is known. */
export const NO_SHOP = shopOf(EMPTY_STORE)

/** The shop on top of a page, with a link to its website that leaves the page open. False without name and logo. */
export function shopHeader({ name, logo, website }: Shop, isLinked: boolean): Html | false {
  if (name === null && logo === null) return false
  const picture = logo !== null && html`<img src="${logo}" alt="${name === null ? '' : name}" width="40" height="40">`
  const sign = html`${picture}${name !== null && html`<bdi${logo !== null && html` aria-hidden="true"`}>${name}</bdi>`}`
  // Without a name the picture has no text, which a link needs.
  if (!isLinked || website === null || name === null) return html`<p class="shop">${sign}</p>`
  return html`<p class="shop"><a href="${website}" target="_blank" rel="noopener noreferrer">${sign}</a></p>`
}

/** How a sentence names the shop behind a link: `name (host)`, or the host alone without a name. */
export function shopOrHost({ name }: Shop, { host }: URL): string {
  return name === null ? host : `${name} (${host})`
}

/** A link to the shop's help, which leaves the page open. False without one. */
export function supportLink({ support }: Shop, text: Text): Html | false {
  return (
    support !== null && html`<a href="${support}" target="_blank" rel="noopener noreferrer">${text.say('support')}</a>`
  )
}
