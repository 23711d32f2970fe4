import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: 'Ricevuta',
  receipt_of: 'Ricevuta {number}',
  receipt_amount: 'Importo',
  receipt_paid: 'Pagato',
  receipt_rate: 'Tasso di cambio',
  receipt_received: 'Ricevuto',
  receipt_overpaid: 'Pagato in più',
  receipt_refunded: 'Rimborsato',
  receipt_invoice: 'Numero della fattura',
  receipt_transaction: 'Transazione',
  receipt_newest: 'Queste sono le transazioni più recenti.',
  receipt_print: 'Stampa o salva come PDF',
  receipt_print_by_hand: 'Per stampare questa pagina o salvarla come PDF, usa il menu del tuo browser.',
  receipt_mail: 'Invia per email',
  receipt_address: 'Il tuo indirizzo email',
  receipt_address_hint: 'Lo usiamo solo per questa email, poi lo dimentichiamo.',
  receipt_address_wrong: 'Questo non è un indirizzo email. Inseriscine uno come {example}.',
  receipt_mailed: 'La ricevuta arriverà nella tua casella entro qualche minuto.',
  receipt_mail_limit:
    'Questa ricevuta è già stata inviata {count} volte per email, che è il limite. Puoi ancora stamparla.',
  receipt_mail_busy:
    'Nell’ultima ora sono state inviate troppe ricevute di questo negozio. Riprova più tardi. Questa puoi stamparla subito.',
  mail_line: '{label}: {value}',
  mail_page: 'La ricevuta da stampare: {link}',
  mail_why:
    'Qualcuno ha inserito il tuo indirizzo nella pagina di questa ricevuta. Se non sei stato tu, puoi ignorare questa email.',
} as const satisfies Translation<typeof english>
