import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Возврат отправлен',
  refund_canceled: 'Возврат отменён',
  refund_on_its_way: 'Ваш возврат в пути',
  refund_yours: 'Ваш возврат',
  refund_ask: 'Магазин возвращает вам эту сумму. Куда её отправить?',
  refund_may_change: 'Магазин отправит её на этот адрес. Его ещё можно изменить:',
  refund_from_wallet: 'Магазин отправит её из своего кошелька.',
  refund_fixed: 'Магазин отправит её из своего кошелька. Он уже видел этот адрес, изменить его нельзя:',
  refund_sent_text:
    'Магазин отправил её. Она придёт в ваш кошелёк за несколько минут и засчитается, когда сеть её подтвердит.',
  refund_canceled_text: 'Магазин не отправляет этот возврат. Если вы его ждёте, спросите магазин.',
  refund_transaction: 'Транзакция',
  refund_address: 'Адрес вашего кошелька Zcash',
  refund_address_hint:
    'Экранированный (shielded) адрес. Он начинается с {prefix}. Скопируйте его из кошелька: платёж на неверный адрес будет потерян.',
  refund_address_wrong:
    'На этот адрес магазин заплатить не может. Скопируйте экранированный адрес, который начинается с {prefix}.',
  refund_send_here: 'Отправить сюда',
  refund_change: 'Изменить адрес',
} as const satisfies Translation<typeof english>
