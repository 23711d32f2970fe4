import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Payer avec Zcash',
  title_choose: 'Choisissez le montant',
  title_seen: 'Paiement vu',
  title_paid: 'Payé',
  title_rest: 'Payer le reste',
  title_rest_awaited: 'En attente du reste',
  title_time_up: 'Le temps est écoulé',
  title_expired: 'Expirée',
  title_settled: 'Plus rien à payer',
  title_canceled: 'Annulée',
  title_underpaid: 'Pas entièrement payée',
  steps: 'Progression',
  step_pay: 'Payer',
  step_seen: 'Vu',
  step_confirmed: 'Confirmé',
  step_confirmed_of: '{confirmed} sur {needed}',
  step_done: 'Terminé',
  pay_by: 'À payer avant {time}',
  time_left: 'reste {time}',
  page_updates: 'Cette page s’actualise d’elle-même à l’arrivée du paiement.',
  time_up_now:
    '*Le temps est écoulé.* Si vous avez payé, gardez cette page ouverte : elle montre votre paiement dès qu’il est vu. Sinon, ne payez pas maintenant.',
  time_up_part:
    '*Le temps est écoulé.* Si vous avez payé, gardez cette page ouverte : elle montre votre paiement dès qu’il est vu.',
  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Moyens de paiement',
  open_wallet: 'Ouvrir dans votre portefeuille',
  show_qr: 'Afficher le code QR',
  qr_request: 'Demande de paiement en code QR',
  scan: 'À scanner avec votre portefeuille Zcash',
  by_hand: 'Ou payer à la main',
  exact_amount: 'Montant exact',
  address: 'À cette adresse',
  choose_amount: 'Saisissez un montant quelconque dans votre portefeuille.',
  choose_at_least: 'Saisissez un montant quelconque dans votre portefeuille, au moins *{amount}*.',
  no_wallet: 'Pas encore de portefeuille ?',
  no_wallet_text:
    'Il vous faut un portefeuille qui peut payer en Zcash protégé (shielded), avec un peu de ZEC. Les éditeurs de ces portefeuilles indiquent qu’ils ouvrent une demande de paiement comme celle-ci :',
  no_wallet_then:
    'Mettez un peu de ZEC dans le portefeuille. Scannez ensuite le code de cette page, ou ouvrez la page sur le même téléphone.',
  received_rest: '{received} sont arrivés. Il reste {rest} à payer.',
  received_at_least: '{received} sont arrivés. Il manque encore au moins {rest}.',
  rest_of: 'le reste de {price}',
  seen: 'Votre paiement a été vu. *Vous n’avez plus rien à faire.*',
  seen_late:
    'Votre paiement est arrivé une fois le temps écoulé. *Il compte quand même. Ne payez pas une seconde fois.*',
  seen_after_cancel:
    'Votre paiement est arrivé après l’annulation de la facture par la boutique. *Il compte quand même. Ne payez pas une seconde fois.*',
  confirms_in: 'Le réseau le confirme en général en {time} environ.',
  confirms_at_once: 'Il est confirmé aussitôt.',
  may_close: 'Vous pouvez fermer cette page.',
  paid: 'Merci. Le paiement est confirmé.',
  paid_late: 'Merci. Le paiement est arrivé une fois le temps écoulé, et il compte.',
  overpaid: 'Vous avez payé *{amount}* de trop.',
  overpaid_ask: 'La boutique le voit et vous le doit. Demandez-lui de vous le renvoyer.',
  reorged_title: 'Votre paiement est en cours de nouvelle confirmation',
  reorged:
    'Le réseau Zcash a remplacé ses derniers blocs, et votre paiement n’y est pas encore. D’ordinaire il y est de nouveau en quelques minutes. *Ne payez pas une seconde fois.* La boutique le sait.',
  rest_counts:
    '{received} sur {whole} sont arrivés. Le temps est écoulé, mais le reste compte encore jusqu’à {time}. *Ne payez pas une seconde fois le montant entier.*',
  rest_counts_open:
    '{received} sur au moins {whole} sont arrivés. Le temps est écoulé, mais le reste compte encore jusqu’à {time}.',
  rest_awaited:
    '{received} sur {whole} sont arrivés, et le dépôt ci-dessus peut encore payer le reste. *Ne payez pas de nouveau maintenant.* Cette page s’actualise à son arrivée.',
  rest_unwanted: 'Si vous ne voulez plus payer, demandez à la boutique de renvoyer ce qui est arrivé.',
  late: '*Si vous avez payé, ne payez pas une seconde fois.* Gardez cette page ouverte : elle montre votre paiement dès qu’il est vu. Il compte jusqu’à {time}.',
  late_unpaid: 'Si vous n’avez pas payé, ne payez pas cette facture. Demandez-en une nouvelle à la boutique.',
  settled: 'La boutique a marqué cette commande comme payée. *Ne payez plus rien.*',
  canceled: '*Ne payez pas.* La boutique a annulé cette facture.',
  canceled_paid:
    'Si vous avez déjà payé, ne payez pas une seconde fois. Cette page montre votre paiement dès qu’il est vu. Il compte jusqu’à {time}.',
  canceled_part:
    'La boutique a annulé cette facture. {received} sont arrivés. *Ne payez pas le reste.* Demandez à la boutique de renvoyer ce qui est arrivé.',
  over: 'Cette facture a expiré. *Ne la payez pas.* Demandez-en une nouvelle à la boutique.',
  over_part:
    'Seuls {received} sont arrivés à temps. Les paiements de cette facture ne comptent plus : *ne payez pas le reste.* Demandez à la boutique de renvoyer ce qui est arrivé.',
} as const satisfies Translation<typeof english>
