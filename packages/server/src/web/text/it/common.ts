import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*TEST.* Non è denaro reale. Non pagare con un portafoglio reale.',
  chain_unseen: 'Al momento non vediamo la rete Zcash. Il tuo pagamento è al sicuro e apparirà appena la vedremo.',
  no_connection:
    'Nessuna connessione. Questa pagina potrebbe non essere aggiornata. Si aggiorna da sola quando la connessione torna, e un pagamento già inviato è al sicuro.',
  payment: 'Pagamento',
  copy: 'Copia',
  copied: 'Copiato',
  not_copied: 'Non copiato',
  copy_amount: 'Copia l’importo',
  copy_address: 'Copia l’indirizzo',
  copy_number: 'Copia il numero della fattura',
  copy_txid: 'Copia l’ID della transazione',
  order: 'Ordine {order}',
  invoice_number: 'Fattura {number}',
  support: 'Aiuto del negozio',
  language: 'Lingua',
  made_with: 'Pagamenti con zatgate',
  back_to: 'Torna a {shop}',
  returning_to: 'Ritorno a {shop} …',
  link_broken: 'Questo link di pagamento non funziona',
  link_broken_text: 'Controlla il link nel tuo ordine o chiedi al negozio.',
  link_gone: 'Questa pagina non è più disponibile',
  link_gone_text: 'La fattura è stata chiusa da tempo. Se hai una domanda, chiedi al negozio.',
  too_many: 'Troppe richieste',
  too_many_text: 'Aspetta un minuto e riapri questa pagina. Un pagamento già inviato è al sicuro.',
  went_wrong: 'Qualcosa è andato storto',
  went_wrong_text: 'Riapri questa pagina tra un minuto. Un pagamento già inviato è al sicuro.',
} as const satisfies Translation<typeof english>
