import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Rimborso inviato',
  refund_canceled: 'Rimborso annullato',
  refund_on_its_way: 'Il tuo rimborso è in arrivo',
  refund_yours: 'Il tuo rimborso',
  refund_ask: 'Il negozio ti restituisce questo importo. Dove deve andare?',
  refund_may_change: 'Il negozio lo invia a questo indirizzo. Puoi ancora cambiarlo:',
  refund_from_wallet: 'Il negozio lo invia dal suo portafoglio.',
  refund_fixed: 'Il negozio lo invia dal suo portafoglio. Ha visto questo indirizzo, che non si può più cambiare:',
  refund_sent_text:
    'Il negozio lo ha inviato. Arriva nel tuo portafoglio in pochi minuti e vale appena la rete lo conferma.',
  refund_canceled_text: 'Il negozio non invia questo rimborso. Se ne aspetti uno, chiedi al negozio.',
  refund_transaction: 'Transazione',
  refund_address: 'Indirizzo del tuo portafoglio Zcash',
  refund_address_hint:
    'Un indirizzo schermato (shielded). Comincia con {prefix}. Copialo dal tuo portafoglio: un pagamento a un indirizzo sbagliato è perso.',
  refund_address_wrong:
    'Il negozio non può pagare a questo indirizzo. Copia un indirizzo schermato che comincia con {prefix}.',
  refund_send_here: 'Invialo qui',
  refund_change: 'Cambia l’indirizzo',
} as const satisfies Translation<typeof english>
