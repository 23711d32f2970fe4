import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Квитанция',
  receipt_of: 'Квитанция {number}',
  receipt_amount: 'Сумма',
  receipt_paid: 'Оплачено',
  receipt_rate: 'Курс обмена',
  receipt_received: 'Получено',
  receipt_overpaid: 'Переплата',
  receipt_refunded: 'Возвращено',
  receipt_invoice: 'Номер счёта',
  receipt_transaction: 'Транзакция',
  receipt_newest: 'Это самые новые транзакции.',
  receipt_print: 'Распечатать или сохранить в PDF',
  receipt_print_by_hand: 'Чтобы распечатать эту страницу или сохранить её в PDF, воспользуйтесь меню браузера.',
  receipt_mail: 'Отправить по почте',
  receipt_address: 'Ваш адрес электронной почты',
  receipt_address_hint: 'Он нужен только для этого письма и потом не хранится.',
  receipt_address_wrong: 'Это не адрес электронной почты. Введите адрес вида {example}.',
  receipt_mailed: 'Квитанция придёт на вашу почту в течение нескольких минут.',
  receipt_mail_limit:
    'Эта квитанция уже отправлена по почте максимально возможное число раз: {count}. Её по-прежнему можно распечатать.',
  receipt_mail_busy:
    'За последний час отправлено слишком много квитанций этого магазина. Попробуйте позже. Распечатать эту можно уже сейчас.',
  mail_line: '{label}: {value}',
  mail_page: 'Квитанция для печати: {link}',
  mail_why:
    'Кто-то ввёл ваш адрес на странице этой квитанции. Если это были не вы, просто не обращайте внимания на это письмо.',
} as const satisfies Translation<typeof english>
