import type { refund as english } from '../en/refund.ts'
import type { Translation } from '../message.ts'

export const refund = {
  refund_sent: 'Remboursement envoyé',
  refund_canceled: 'Remboursement annulé',
  refund_on_its_way: 'Votre remboursement est en route',
  refund_yours: 'Votre remboursement',
  refund_ask: 'La boutique vous renvoie ce montant. Où doit-il aller ?',
  refund_may_change: 'La boutique l’envoie à cette adresse. Vous pouvez encore la changer :',
  refund_from_wallet: 'La boutique l’envoie depuis son portefeuille.',
  refund_fixed:
    'La boutique l’envoie depuis son portefeuille. Elle a vu cette adresse, qui ne peut plus être changée :',
  refund_sent_text:
    'La boutique l’a envoyé. Il arrive dans votre portefeuille en quelques minutes, et compte dès que le réseau le confirme.',
  refund_canceled_text: 'La boutique n’envoie pas ce remboursement. Si vous en attendez un, demandez à la boutique.',
  refund_transaction: 'Transaction',
  refund_address: 'Adresse de votre portefeuille Zcash',
  refund_address_hint:
    'Une adresse protégée (shielded). Elle commence par {prefix}. Copiez-la depuis votre portefeuille : un paiement à une mauvaise adresse est perdu.',
  refund_address_wrong:
    'La boutique ne peut pas payer à cette adresse. Copiez une adresse protégée qui commence par {prefix}.',
  refund_send_here: 'L’envoyer ici',
  refund_change: 'Changer l’adresse',
} as const satisfies Translation<typeof english>
