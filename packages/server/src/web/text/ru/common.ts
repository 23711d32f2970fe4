import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*ТЕСТ.* Это не настоящие деньги. Не платите из настоящего кошелька.',
  chain_unseen: 'Сейчас мы не видим сеть Zcash. Ваш платёж в безопасности и появится, как только мы её увидим.',
  no_connection:
    'Нет соединения. Страница может быть устаревшей. Она обновится сама, когда связь восстановится, а отправленный платёж в безопасности.',
  payment: 'Платёж',
  copy: 'Копировать',
  copied: 'Скопировано',
  not_copied: 'Не скопировано',
  copy_amount: 'Копировать сумму',
  copy_address: 'Копировать адрес',
  copy_number: 'Копировать номер счёта',
  copy_txid: 'Копировать ID транзакции',
  order: 'Заказ {order}',
  invoice_number: 'Счёт {number}',
  support: 'Помощь магазина',
  language: 'Язык',
  made_with: 'Платежи через zatgate',
  back_to: 'Вернуться в {shop}',
  returning_to: 'Возвращаемся в {shop} …',
  link_broken: 'Эта ссылка на оплату не работает',
  link_broken_text: 'Проверьте ссылку в заказе или спросите магазин.',
  link_gone: 'Эта страница больше недоступна',
  link_gone_text: 'Счёт закрыт некоторое время назад. Если у вас есть вопрос, спросите магазин.',
  too_many: 'Слишком много запросов',
  too_many_text: 'Подождите минуту и откройте страницу снова. Отправленный платёж в безопасности.',
  went_wrong: 'Что-то пошло не так',
  went_wrong_text: 'Откройте эту страницу снова через минуту. Отправленный платёж в безопасности.',
} as const satisfies Translation<typeof english>
