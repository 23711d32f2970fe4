import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Chiudi',
  modal_loading: 'Caricamento …',
  modal_open_page: 'Apri la pagina di pagamento',
} as const satisfies Translation<typeof english>
