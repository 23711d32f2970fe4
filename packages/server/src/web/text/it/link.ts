import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: 'Paga',
  link_amount: 'Importo in {currency}',
  link_own_amount: 'Oppure un altro importo in {currency}',
  link_choose: 'Scegli un importo',
  link_least: 'Almeno {amount}.',
  link_rate: 'Paghi in Zcash. L’importo in ZEC viene fissato quando continui.',
  link_zcash: 'Paghi in Zcash.',
  link_optional: '{label} (facoltativo)',
  link_amount_wrong: 'Inserisci un importo, ad esempio {example}.',
  link_fill_in: 'Compila questo campo.',
  link_paused: 'Al momento nessun pagamento',
  link_paused_text: 'Il negozio ha sospeso questa pagina. Riprova più tardi.',
  link_ended: 'Questa offerta è terminata',
  link_ended_text: 'Se hai una domanda, chiedi al negozio.',
  link_sold_out: 'Esaurito',
  link_sold_out_text: 'Tutto è venduto o riservato ad acquirenti che stanno pagando.',
  link_busy: 'Questo negozio riceve molte richieste in questo momento. Riprova tra qualche minuto.',
  link_unavailable:
    'Il negozio non può accettare questo pagamento in questo momento. Riprova più tardi o chiedi al negozio.',
} as const satisfies Translation<typeof english>
