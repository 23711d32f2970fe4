import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Bezahlen',
  link_amount: 'Betrag in {currency}',
  link_own_amount: 'Oder ein eigener Betrag in {currency}',
  link_choose: 'Betrag wählen',
  link_least: 'Mindestens {amount}.',
  link_rate: 'Sie zahlen in Zcash. Der Betrag in ZEC steht fest, sobald Sie fortfahren.',
  link_zcash: 'Sie zahlen in Zcash.',
  link_optional: '{label} (freiwillig)',
  link_amount_wrong: 'Geben Sie einen Betrag ein, zum Beispiel {example}.',
  link_fill_in: 'Füllen Sie dieses Feld aus.',
  link_paused: 'Zurzeit keine Zahlungen',
  link_paused_text: 'Der Shop hat diese Seite angehalten. Bitte versuchen Sie es später noch einmal.',
  link_ended: 'Dieses Angebot ist beendet',
  link_ended_text: 'Wenn Sie eine Frage dazu haben, fragen Sie den Shop.',
  link_sold_out: 'Ausverkauft',
  link_sold_out_text: 'Alles ist verkauft oder für Käufer reserviert, die gerade bezahlen.',
  link_busy: 'Dieser Shop erhält gerade viele Anfragen. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  link_unavailable:
    'Der Shop kann diese Zahlung gerade nicht annehmen. Bitte versuchen Sie es später noch einmal, oder fragen Sie den Shop.',
} as const satisfies Translation<typeof english>
