import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Reçu',
  receipt_of: 'Reçu {number}',
  receipt_amount: 'Montant',
  receipt_paid: 'Payé',
  receipt_rate: 'Taux de change',
  receipt_received: 'Reçu par la boutique',
  receipt_overpaid: 'Payé en trop',
  receipt_refunded: 'Remboursé',
  receipt_invoice: 'Numéro de facture',
  receipt_transaction: 'Transaction',
  receipt_newest: 'Voici les transactions les plus récentes.',
  receipt_print: 'Imprimer ou enregistrer en PDF',
  receipt_print_by_hand: 'Pour imprimer cette page ou l’enregistrer en PDF, utilisez le menu de votre navigateur.',
  receipt_mail: 'Envoyer par e-mail',
  receipt_address: 'Votre adresse e-mail',
  receipt_address_hint: 'Elle sert à cet unique e-mail, puis nous l’oublions.',
  receipt_address_wrong: 'Ce n’est pas une adresse e-mail. Saisissez-en une comme {example}.',
  receipt_mailed: 'Le reçu arrivera dans votre boîte de réception d’ici quelques minutes.',
  receipt_mail_limit:
    'Ce reçu a déjà été envoyé {count} fois par e-mail, ce qui est la limite. Vous pouvez toujours l’imprimer.',
  receipt_mail_busy:
    'Trop de reçus de cette boutique ont été envoyés au cours de la dernière heure. Réessayez plus tard. Vous pouvez imprimer celui-ci dès maintenant.',
  mail_line: '{label} : {value}',
  mail_page: 'Le reçu à imprimer : {link}',
  mail_why:
    'Quelqu’un a saisi votre adresse sur la page de ce reçu. Si ce n’était pas vous, vous pouvez ignorer cet e-mail.',
} as const satisfies Translation<typeof english>
