import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Payer',
  link_amount: 'Montant en {currency}',
  link_own_amount: 'Ou un autre montant en {currency}',
  link_choose: 'Choisissez un montant',
  link_least: 'Au moins {amount}.',
  link_rate: 'Vous payez en Zcash. Le montant en ZEC est fixé lorsque vous continuez.',
  link_zcash: 'Vous payez en Zcash.',
  link_optional: '{label} (facultatif)',
  link_amount_wrong: 'Saisissez un montant, par exemple {example}.',
  link_fill_in: 'Remplissez ce champ.',
  link_paused: 'Aucun paiement pour le moment',
  link_paused_text: 'La boutique a suspendu cette page. Réessayez plus tard.',
  link_ended: 'Cette offre est terminée',
  link_ended_text: 'Pour toute question à son sujet, demandez à la boutique.',
  link_sold_out: 'Épuisé',
  link_sold_out_text: 'Tout est vendu, ou réservé à des acheteurs en train de payer.',
  link_busy: 'Cette boutique reçoit beaucoup de demandes en ce moment. Réessayez dans quelques minutes.',
  link_unavailable:
    'La boutique ne peut pas accepter ce paiement pour le moment. Réessayez plus tard, ou demandez à la boutique.',
} as const satisfies Translation<typeof english>
