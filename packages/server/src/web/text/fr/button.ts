import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Fermer',
  modal_loading: 'Chargement …',
  modal_open_page: 'Ouvrir la page de paiement',
} as const satisfies Translation<typeof english>
