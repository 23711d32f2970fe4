import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TEST.* Kein echtes Geld. Bezahlen Sie nicht mit einer echten Wallet.',
  chain_unseen:
    'Wir sehen das Zcash-Netz gerade nicht. Ihre Zahlung ist sicher und erscheint, sobald wir es wieder sehen.',
  no_connection:
    'Keine Verbindung. Diese Seite ist vielleicht nicht aktuell. Sie aktualisiert sich von selbst, sobald die Verbindung zurück ist, und eine gesendete Zahlung ist sicher.',
  payment: 'Zahlung',
  copy: 'Kopieren',
  copied: 'Kopiert',
  not_copied: 'Nicht kopiert',
  copy_amount: 'Betrag kopieren',
  copy_address: 'Adresse kopieren',
  copy_number: 'Rechnungsnummer kopieren',
  copy_txid: 'Transaktions-ID kopieren',
  order: 'Bestellung {order}',
  invoice_number: 'Rechnung {number}',
  support: 'Hilfe vom Shop',
  language: 'Sprache',
  made_with: 'Zahlungen mit zatgate',
  back_to: 'Zurück zu {shop}',
  returning_to: 'Zurück zu {shop} …',
  link_broken: 'Dieser Zahlungslink funktioniert nicht',
  link_broken_text: 'Prüfen Sie den Link in Ihrer Bestellung, oder fragen Sie den Shop.',
  link_gone: 'Diese Seite gibt es nicht mehr',
  link_gone_text:
    'Die Rechnung wurde vor einiger Zeit geschlossen. Wenn Sie eine Frage dazu haben, fragen Sie den Shop.',
  too_many: 'Zu viele Anfragen',
  too_many_text: 'Bitte warten Sie eine Minute, und öffnen Sie diese Seite erneut. Eine gesendete Zahlung ist sicher.',
  went_wrong: 'Etwas ist schiefgegangen',
  went_wrong_text: 'Bitte öffnen Sie diese Seite in einer Minute erneut. Eine gesendete Zahlung ist sicher.',
} as const satisfies Translation<typeof english>
