import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Terugbetaling verstuurd',
  refund_canceled: 'Terugbetaling geannuleerd',
  refund_on_its_way: 'Je terugbetaling is onderweg',
  refund_yours: 'Je terugbetaling',
  refund_ask: 'De winkel stuurt je dit bedrag terug. Waar moet het heen?',
  refund_may_change: 'De winkel stuurt het naar dit adres. Je kunt het nog wijzigen:',
  refund_from_wallet: 'De winkel stuurt het vanuit haar wallet.',
  refund_fixed:
    'De winkel stuurt het vanuit haar wallet. Ze heeft dit adres gezien, dat niet meer gewijzigd kan worden:',
  refund_sent_text:
    'De winkel heeft het verstuurd. Het komt binnen enkele minuten in je wallet aan en telt zodra het netwerk het bevestigt.',
  refund_canceled_text: 'De winkel verstuurt deze terugbetaling niet. Verwacht je er een, vraag het dan de winkel.',
  refund_transaction: 'Transactie',
  refund_address: 'Adres van je Zcash-wallet',
  refund_address_hint:
    'Een afgeschermd (shielded) adres. Het begint met {prefix}. Kopieer het uit je wallet: een betaling naar een verkeerd adres is verloren.',
  refund_address_wrong:
    'Naar dit adres kan de winkel niet betalen. Kopieer een afgeschermd adres dat begint met {prefix}.',
  refund_send_here: 'Hierheen sturen',
  refund_change: 'Adres wijzigen',
} as const satisfies Translation<typeof english>
