import { createHash } from 'node:crypto'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import { type Html, html } from '../html.ts'

/** The seconds that are left differ at each request, and the script takes them over without replacing the content. */
const SECONDS_LEFT = / data-left="\d+"/g

/**
 * Attributes of an element that a script updates in the open page. `id` identifies the element; its state changes when
 * its content does.
 */
export function liveAttributes(id: string, content: Html): Html {
  const text = content.text.replace(SECONDS_LEFT, '')
  const state = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return html` id="${id}" data-live data-state="${state}"`
}

/** The ETag of a page with live elements: their states, as the script knows them of the shown page. Null: it has none. */
export function liveTag(page: string): string | null {
  const states = [...page.matchAll(/ data-live data-state="([\w-]+)"/g)].map(([, state]) => state)
  return states.length > 0 ? `W/"${states.join('.')}"` : null
}

/** Attributes that name the statuses, for the script that reports them to the page around a frame. */
export function statusAttributes({ status }: Invoice, swap: Swap | undefined): Html {
  return html` data-status="${status}"${swap && html` data-swap-status="${swap.status}"`}`
}
