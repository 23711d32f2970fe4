import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Sluiten',
  modal_loading: 'Laden …',
  modal_open_page: 'Betaalpagina openen',
} as const satisfies Translation<typeof english>
