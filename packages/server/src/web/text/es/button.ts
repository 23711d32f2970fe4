import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Cerrar',
  modal_loading: 'Cargando …',
  modal_open_page: 'Abrir la página de pago',
} as const satisfies Translation<typeof english>
