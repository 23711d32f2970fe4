import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TEST.* Ce n’est pas de l’argent réel. Ne payez pas avec un vrai portefeuille.',
  chain_unseen:
    'Nous ne voyons pas le réseau Zcash en ce moment. Votre paiement est en sécurité et apparaîtra dès que nous le verrons.',
  no_connection:
    'Pas de connexion. Cette page n’est peut-être pas à jour. Elle s’actualise d’elle-même au retour de la connexion, et un paiement déjà envoyé est en sécurité.',
  payment: 'Paiement',
  copy: 'Copier',
  copied: 'Copié',
  not_copied: 'Non copié',
  copy_amount: 'Copier le montant',
  copy_address: 'Copier l’adresse',
  copy_number: 'Copier le numéro de facture',
  copy_txid: 'Copier l’identifiant de la transaction',
  order: 'Commande {order}',
  invoice_number: 'Facture {number}',
  support: 'Aide de la boutique',
  language: 'Langue',
  made_with: 'Paiements par zatgate',
  back_to: 'Retour à {shop}',
  returning_to: 'Retour à {shop} …',
  link_broken: 'Ce lien de paiement ne fonctionne pas',
  link_broken_text: 'Vérifiez le lien dans votre commande, ou demandez à la boutique.',
  link_gone: 'Cette page n’est plus disponible',
  link_gone_text:
    'La facture est close depuis un certain temps. Pour toute question à son sujet, demandez à la boutique.',
  too_many: 'Trop de requêtes',
  too_many_text: 'Attendez une minute, puis rouvrez cette page. Un paiement déjà envoyé est en sécurité.',
  went_wrong: 'Une erreur s’est produite',
  went_wrong_text: 'Rouvrez cette page dans une minute. Un paiement déjà envoyé est en sécurité.',
} as const satisfies Translation<typeof english>
