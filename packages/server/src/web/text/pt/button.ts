import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Fechar',
  modal_loading: 'A carregar …',
  modal_open_page: 'Abrir a página de pagamento',
} as const satisfies Translation<typeof english>
