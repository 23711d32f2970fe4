import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Quittung',
  receipt_of: 'Quittung {number}',
  receipt_amount: 'Betrag',
  receipt_paid: 'Bezahlt',
  receipt_rate: 'Wechselkurs',
  receipt_received: 'Erhalten',
  receipt_overpaid: 'Zu viel bezahlt',
  receipt_refunded: 'Erstattet',
  receipt_invoice: 'Rechnungsnummer',
  receipt_transaction: 'Transaktion',
  receipt_newest: 'Dies sind die neuesten Transaktionen.',
  receipt_print: 'Drucken oder als PDF speichern',
  receipt_print_by_hand: 'Um diese Seite zu drucken oder als PDF zu speichern, verwenden Sie das Menü Ihres Browsers.',
  receipt_mail: 'Per E-Mail senden',
  receipt_address: 'Ihre E-Mail-Adresse',
  receipt_address_hint: 'Wir verwenden sie nur für diese eine E-Mail und vergessen sie dann.',
  receipt_address_wrong: 'Das ist keine E-Mail-Adresse. Geben Sie eine wie {example} ein.',
  receipt_mailed: 'Die Quittung ist in wenigen Minuten in Ihrem Postfach.',
  receipt_mail_limit:
    'Diese Quittung wurde schon {count}-mal per E-Mail gesendet, öfter geht es nicht. Sie können sie weiterhin drucken.',
  receipt_mail_busy:
    'In der letzten Stunde wurden zu viele Quittungen dieses Shops gesendet. Bitte versuchen Sie es später noch einmal. Drucken können Sie diese jetzt schon.',
  mail_line: '{label}: {value}',
  mail_page: 'Die Quittung zum Drucken: {link}',
  mail_why:
    'Jemand hat Ihre Adresse auf der Seite dieser Quittung eingegeben. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren.',
} as const satisfies Translation<typeof english>
