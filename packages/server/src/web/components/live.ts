import { createHash } from 'node:crypto'
import { type Html, html } from '../html.ts'

/**
 * Attributes of an element that a script updates in the open page. `id` identifies the element; its state changes when
 * its content does.
 */
export function liveAttributes(id: string, content: Html): Html {
  const state = createHash('sha256').update(content.text).digest('base64url').slice(0, 16)
  return html` id="${id}" data-live data-state="${state}"`
}
