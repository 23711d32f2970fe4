import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Rückzahlung gesendet',
  refund_canceled: 'Rückzahlung storniert',
  refund_on_its_way: 'Ihre Rückzahlung ist unterwegs',
  refund_yours: 'Ihre Rückzahlung',
  refund_ask: 'Der Shop sendet Ihnen diesen Betrag zurück. Wohin soll er gehen?',
  refund_may_change: 'Der Shop sendet sie an diese Adresse. Sie können sie noch ändern:',
  refund_from_wallet: 'Der Shop sendet sie aus seiner Wallet.',
  refund_fixed:
    'Der Shop sendet sie aus seiner Wallet. Er hat diese Adresse gesehen, sie kann nicht mehr geändert werden:',
  refund_sent_text:
    'Der Shop hat sie gesendet. Sie kommt in wenigen Minuten in Ihrer Wallet an und zählt, sobald das Netz sie bestätigt.',
  refund_canceled_text: 'Der Shop sendet diese Rückzahlung nicht. Wenn Sie eine erwarten, fragen Sie bitte den Shop.',
  refund_transaction: 'Transaktion',
  refund_address: 'Adresse Ihrer Zcash-Wallet',
  refund_address_hint:
    'Eine abgeschirmte (shielded) Adresse. Sie beginnt mit {prefix}. Kopieren Sie sie aus Ihrer Wallet: Eine Zahlung an eine falsche Adresse ist verloren.',
  refund_address_wrong:
    'An diese Adresse kann der Shop nicht zahlen. Kopieren Sie eine abgeschirmte Adresse, die mit {prefix} beginnt.',
  refund_send_here: 'Hierhin senden',
  refund_change: 'Adresse ändern',
} as const satisfies Translation<typeof english>
