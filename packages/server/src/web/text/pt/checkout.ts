import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Pagar com Zcash',
  title_choose: 'Escolha o valor',
  title_seen: 'Pagamento visto',
  title_paid: 'Pago',
  title_rest: 'Pagar o resto',
  title_rest_awaited: 'À espera do resto',
  title_time_up: 'O tempo acabou',
  title_expired: 'Expirada',
  title_settled: 'Nada mais a pagar',
  title_canceled: 'Cancelada',
  title_underpaid: 'Não paga por completo',
  steps: 'Progresso',
  step_pay: 'Pagar',
  step_seen: 'Visto',
  step_confirmed: 'Confirmado',
  step_confirmed_of: '{confirmed} de {needed}',
  step_done: 'Pronto',
  pay_by: 'Pague até {time}',
  time_left: 'faltam {time}',
  page_updates: 'Esta página atualiza-se sozinha quando o pagamento chegar.',
  time_up_now:
    '*O tempo acabou.* Se já pagou, mantenha esta página aberta: ela mostra o seu pagamento assim que for visto. Se não pagou, não pague agora.',
  time_up_part:
    '*O tempo acabou.* Se já pagou, mantenha esta página aberta: ela mostra o seu pagamento assim que for visto.',
  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Formas de pagamento',
  open_wallet: 'Abrir na sua carteira',
  show_qr: 'Mostrar o código QR',
  qr_request: 'Pedido de pagamento em código QR',
  scan: 'Leia-o com a sua carteira Zcash',
  by_hand: 'Ou pague manualmente',
  exact_amount: 'Valor exato',
  address: 'Para este endereço',
  choose_amount: 'Introduza qualquer valor na sua carteira.',
  choose_at_least: 'Introduza qualquer valor na sua carteira, no mínimo *{amount}*.',
  no_wallet: 'Ainda não tem carteira?',
  no_wallet_text:
    'Precisa de uma carteira que pague Zcash blindado (shielded) e de algum ZEC nela. Os criadores destas carteiras documentam que elas abrem um pedido de pagamento como este:',
  no_wallet_then:
    'Coloque algum ZEC na carteira. Depois leia o código desta página, ou abra a página no mesmo telefone.',
  received_rest: 'Chegaram {received}. Faltam pagar {rest}.',
  received_at_least: 'Chegaram {received}. Faltam pelo menos {rest}.',
  rest_of: 'o resto de {price}',
  seen: 'O seu pagamento foi visto. *Não precisa de fazer mais nada.*',
  seen_late: 'O seu pagamento chegou depois de o tempo acabar. *Mesmo assim conta. Não pague outra vez.*',
  seen_after_cancel:
    'O seu pagamento chegou depois de a loja ter cancelado a fatura. *Mesmo assim conta. Não pague outra vez.*',
  confirms_in: 'A rede costuma confirmá-lo em cerca de {time}.',
  confirms_at_once: 'É confirmado de imediato.',
  may_close: 'Pode fechar esta página.',
  paid: 'Obrigado. O pagamento está confirmado.',
  paid_late: 'Obrigado. O pagamento chegou depois de o tempo acabar, e conta.',
  overpaid: 'Pagou *{amount}* a mais.',
  overpaid_ask: 'A loja vê isso e deve-lhe esse valor. Peça-lhe que o devolva.',
  reorged_title: 'O seu pagamento está a ser confirmado de novo',
  reorged:
    'A rede Zcash substituiu os seus blocos mais recentes e o seu pagamento ainda não está neles. Normalmente volta a estar em poucos minutos. *Não pague outra vez.* A loja sabe.',
  rest_counts:
    'Chegaram {received} de {whole}. O tempo acabou, mas o resto ainda conta até {time}. *Não pague outra vez o valor completo.*',
  rest_counts_open: 'Chegaram {received} de pelo menos {whole}. O tempo acabou, mas o resto ainda conta até {time}.',
  rest_awaited:
    'Chegaram {received} de {whole}, e o depósito acima ainda pode pagar o resto. *Não pague outra vez agora.* Esta página atualiza-se quando ele chegar.',
  rest_unwanted: 'Se já não quer pagar, peça à loja que devolva o que chegou.',
  late: '*Se já pagou, não pague outra vez.* Mantenha esta página aberta: ela mostra o seu pagamento assim que for visto. Conta até {time}.',
  late_unpaid: 'Se não pagou, não pague esta fatura. Peça uma nova à loja.',
  settled: 'A loja marcou esta encomenda como paga. *Não pague mais nada.*',
  canceled: '*Não pague.* A loja cancelou esta fatura.',
  canceled_paid:
    'Se já pagou, não pague outra vez. Esta página mostra o seu pagamento assim que for visto. Conta até {time}.',
  canceled_part:
    'A loja cancelou esta fatura. Chegaram {received}. *Não pague o resto.* Peça à loja que devolva o que chegou.',
  over: 'Esta fatura expirou. *Não a pague.* Peça uma nova à loja.',
  over_part:
    'Só chegaram {received} a tempo. Os pagamentos desta fatura já não contam: *não pague o resto.* Peça à loja que devolva o que chegou.',
} as const satisfies Translation<typeof english>
