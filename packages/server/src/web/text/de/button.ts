import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Schließen',
  modal_loading: 'Wird geladen …',
  modal_open_page: 'Zahlungsseite öffnen',
} as const satisfies Translation<typeof english>
