import { createHash } from 'node:crypto'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import { type Html, html } from '../html.ts'

/**
 * Attributes of an element that a script updates in the open page. `id` identifies the element; its state changes when
 * its content does.
 */
export function liveAttributes(id: string, content: Html): Html {
  const state = createHash('sha256').update(content.text).digest('base64url').slice(0, 16)
  return html` id="${id}" data-live data-state="${state}"`
}

/** Attributes that name the statuses, for the script that reports them to the page around a frame. */
export function statusAttributes({ status }: Invoice, swap: Swap | undefined): Html {
  return html` data-status="${status}"${swap && html` data-swap-status="${swap.status}"`}`
}
