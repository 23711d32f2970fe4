import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Paga con Zcash',
  title_choose: 'Scegli l’importo',
  title_seen: 'Pagamento visto',
  title_paid: 'Pagato',
  title_rest: 'Paga il resto',
  title_rest_awaited: 'In attesa del resto',
  title_time_up: 'Il tempo è scaduto',
  title_expired: 'Scaduta',
  title_settled: 'Non resta nulla da pagare',
  title_canceled: 'Annullata',
  title_underpaid: 'Non pagata per intero',
  steps: 'Avanzamento',
  step_pay: 'Paga',
  step_seen: 'Visto',
  step_confirmed: 'Confermato',
  step_confirmed_of: '{confirmed} di {needed}',
  step_done: 'Fatto',
  pay_by: 'Paga entro {time}',
  time_left: 'restano {time}',
  page_updates: 'Questa pagina si aggiorna da sola quando arriva il pagamento.',
  time_up_now:
    '*Il tempo è scaduto.* Se hai pagato, tieni aperta questa pagina: mostra il tuo pagamento appena viene visto. Se non hai pagato, non pagare ora.',
  time_up_part:
    '*Il tempo è scaduto.* Se hai pagato, tieni aperta questa pagina: mostra il tuo pagamento appena viene visto.',
  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Modi di pagare',
  open_wallet: 'Apri nel tuo portafoglio',
  show_qr: 'Mostra il codice QR',
  qr_request: 'Richiesta di pagamento come codice QR',
  scan: 'Inquadralo con il tuo portafoglio Zcash',
  by_hand: 'Oppure paga a mano',
  exact_amount: 'Importo esatto',
  address: 'A questo indirizzo',
  choose_amount: 'Inserisci un importo a piacere nel tuo portafoglio.',
  choose_at_least: 'Inserisci un importo a piacere nel tuo portafoglio, almeno *{amount}*.',
  no_wallet: 'Non hai ancora un portafoglio?',
  no_wallet_text:
    'Ti serve un portafoglio che possa pagare Zcash schermato (shielded), con un po’ di ZEC. I produttori di questi portafogli documentano che aprono una richiesta di pagamento come questa:',
  no_wallet_then:
    'Metti un po’ di ZEC nel portafoglio. Poi inquadra il codice di questa pagina, oppure apri la pagina sullo stesso telefono.',
  received_rest: 'Sono arrivati {received}. Restano da pagare {rest}.',
  received_at_least: 'Sono arrivati {received}. Mancano ancora almeno {rest}.',
  rest_of: 'il resto di {price}',
  seen: 'Il tuo pagamento è stato visto. *Non devi fare altro.*',
  seen_late: 'Il tuo pagamento è arrivato a tempo scaduto. *Vale comunque. Non pagare di nuovo.*',
  seen_after_cancel:
    'Il tuo pagamento è arrivato dopo che il negozio aveva annullato la fattura. *Vale comunque. Non pagare di nuovo.*',
  confirms_in: 'Di solito la rete lo conferma in circa {time}.',
  confirms_at_once: 'Viene confermato subito.',
  may_close: 'Puoi chiudere questa pagina.',
  paid: 'Grazie. Il pagamento è confermato.',
  paid_late: 'Grazie. Il pagamento è arrivato a tempo scaduto, e vale.',
  overpaid: 'Hai pagato *{amount}* di troppo.',
  overpaid_ask: 'Il negozio lo vede e te li deve. Chiedigli di restituirli.',
  reorged_title: 'Il tuo pagamento viene confermato di nuovo',
  reorged:
    'La rete Zcash ha sostituito i suoi blocchi più recenti e il tuo pagamento non vi è ancora incluso. Di solito lo è di nuovo entro pochi minuti. *Non pagare di nuovo.* Il negozio lo sa.',
  rest_counts:
    'Sono arrivati {received} di {whole}. Il tempo è scaduto, ma il resto vale ancora fino a {time}. *Non pagare di nuovo l’intero importo.*',
  rest_counts_open:
    'Sono arrivati {received} di almeno {whole}. Il tempo è scaduto, ma il resto vale ancora fino a {time}.',
  rest_awaited:
    'Sono arrivati {received} di {whole}, e il deposito qui sopra può ancora pagare il resto. *Non pagare di nuovo adesso.* Questa pagina si aggiorna quando arriva.',
  rest_unwanted: 'Se non vuoi più pagare, chiedi al negozio di restituire ciò che è arrivato.',
  late: '*Se hai pagato, non pagare di nuovo.* Tieni aperta questa pagina: mostra il tuo pagamento appena viene visto. Vale fino a {time}.',
  late_unpaid: 'Se non hai pagato, non pagare questa fattura. Chiedine una nuova al negozio.',
  settled: 'Il negozio ha segnato questo ordine come pagato. *Non pagare altro.*',
  canceled: '*Non pagare.* Il negozio ha annullato questa fattura.',
  canceled_paid:
    'Se hai già pagato, non pagare di nuovo. Questa pagina mostra il tuo pagamento appena viene visto. Vale fino a {time}.',
  canceled_part:
    'Il negozio ha annullato questa fattura. Sono arrivati {received}. *Non pagare il resto.* Chiedi al negozio di restituire ciò che è arrivato.',
  over: 'Questa fattura è scaduta. *Non pagarla.* Chiedine una nuova al negozio.',
  over_part:
    'Solo {received} sono arrivati in tempo. I pagamenti di questa fattura non valgono più: *non pagare il resto.* Chiedi al negozio di restituire ciò che è arrivato.',
} as const satisfies Translation<typeof english>
