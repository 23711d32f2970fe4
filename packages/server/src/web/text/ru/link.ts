import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Оплатить',
  link_amount: 'Сумма в {currency}',
  link_own_amount: 'Или своя сумма в {currency}',
  link_choose: 'Выберите сумму',
  link_least: 'Не меньше {amount}.',
  link_rate: 'Вы платите в Zcash. Сумма в ZEC фиксируется, когда вы продолжите.',
  link_zcash: 'Вы платите в Zcash.',
  link_optional: '{label} (необязательно)',
  link_amount_wrong: 'Введите сумму, например {example}.',
  link_fill_in: 'Заполните это поле.',
  link_paused: 'Сейчас оплата не принимается',
  link_paused_text: 'Магазин приостановил эту страницу. Попробуйте позже.',
  link_ended: 'Это предложение завершено',
  link_ended_text: 'Если у вас есть вопрос, спросите магазин.',
  link_sold_out: 'Распродано',
  link_sold_out_text: 'Всё продано или отложено для покупателей, которые сейчас платят.',
  link_busy: 'Сейчас у этого магазина много запросов. Попробуйте снова через несколько минут.',
  link_unavailable: 'Магазин сейчас не может принять этот платёж. Попробуйте позже или спросите магазин.',
} as const satisfies Translation<typeof english>
