import type { button as english } from '../en/button.ts'
import type { Translation } from '../message.ts'

export const button = {
  modal_close: 'Закрыть',
  modal_loading: 'Загрузка …',
  modal_open_page: 'Открыть страницу оплаты',
} as const satisfies Translation<typeof english>
