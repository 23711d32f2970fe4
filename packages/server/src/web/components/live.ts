import { createHash } from 'node:crypto'
import { greenfieldState } from '../../domain/sale/greenfield-invoice.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import { ASSET_VERSION } from '../assets.ts'
import { type Html, html } from '../html.ts'

/** The seconds that are left differ at each request. */
const SECONDS_LEFT = / data-left="\d+"/g

/**
 * A part of a page that `assets/live.js` keeps up to date in the open page. It is sent again when its content changes. A
 * part inside another one has no countdown, and is sent again only when its own content changes.
 * @param id of the element, which is on the page in every state of it
 */
export function livePart(id: string, content: Html): Html {
  const text = content.text.replace(SECONDS_LEFT, '')
  const state = createHash('sha256').update(`${id} ${text}`).digest('base64url').slice(0, 16)
  return html`<live-part id="${id}" data-state="${state}">${content}</live-part>`
}

/** The beginning, with its state, or the end of a part. Text of a page is escaped, so it contains neither. */
const PART = /<live-part id="[\w-]+" data-state="([\w-]+)">|<\/live-part>/g

/** The ETag of a page with live parts: the version of the assets, and the states of the parts. Null: it has none. */
export function liveTag(page: string): string | null {
  const states = [...page.matchAll(PART)].flatMap(([, state]) => state ?? [])
  return states.length > 0 ? `W/"${[ASSET_VERSION, ...states].join('.')}"` : null
}

/**
 * The title of a page, and its parts whose states are not in the ETag of the open page. A part inside one of these whose
 * state is in it has no content.
 */
export function changedParts(page: string, tag: string): string {
  const known = new Set(tag.split(/[".]/))
  const [title = ''] = /<title>[^<]*<\/title>/.exec(page) ?? []
  let changed = title
  let from = 0
  /** For each part around this place, whether its content is sent. */
  const open: boolean[] = []
  for (const { 0: markup, 1: state, index } of page.matchAll(PART)) {
    const isContentSent = open.at(-1) === true
    if (isContentSent) changed += page.slice(from, index)
    from = index + markup.length
    if (state === undefined) {
      open.pop()
      if (open.at(-1) ?? isContentSent) changed += markup
    } else {
      const isNew = !known.has(state)
      const isSent = open.at(-1) ?? isNew
      if (isSent) changed += markup
      open.push(isSent && isNew)
    }
  }
  return changed
}

/** Attributes that name the statuses, for the scripts that report them to the page around a frame. */
export function statusAttributes(invoice: Invoice, swap: Swap | undefined): Html {
  const { status } = greenfieldState(invoice)
  return html` data-status="${invoice.status}"${swap && html` data-swap-status="${swap.status}"`} data-greenfield-status="${status.toLowerCase()}"`
}
