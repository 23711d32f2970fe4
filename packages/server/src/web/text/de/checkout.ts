import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Mit Zcash bezahlen',
  title_choose: 'Betrag wählen',
  title_seen: 'Zahlung gesehen',
  title_paid: 'Bezahlt',
  title_rest: 'Den Rest bezahlen',
  title_rest_awaited: 'Warten auf den Rest',
  title_time_up: 'Die Zeit ist um',
  title_expired: 'Abgelaufen',
  title_settled: 'Nichts mehr zu bezahlen',
  title_canceled: 'Storniert',
  title_underpaid: 'Nicht vollständig bezahlt',
  steps: 'Fortschritt',
  step_pay: 'Zahlen',
  step_seen: 'Gesehen',
  step_confirmed: 'Bestätigt',
  step_confirmed_of: '{confirmed} von {needed}',
  step_done: 'Fertig',
  pay_by: 'Bezahlen bis {time}',
  time_left: 'noch {time}',
  page_updates: 'Diese Seite aktualisiert sich von selbst, wenn die Zahlung ankommt.',
  time_up_now:
    '*Die Zeit ist um.* Wenn Sie bezahlt haben, lassen Sie diese Seite offen: Sie zeigt Ihre Zahlung, sobald sie gesehen wird. Wenn nicht, bezahlen Sie jetzt nicht.',
  time_up_part:
    '*Die Zeit ist um.* Wenn Sie bezahlt haben, lassen Sie diese Seite offen: Sie zeigt Ihre Zahlung, sobald sie gesehen wird.',
  with_zcash: 'Zcash',
  with_other: 'BTC, USDC, …',
  ways_to_pay: 'Zahlungsarten',
  open_wallet: 'In der Wallet öffnen',
  show_qr: 'QR-Code zeigen',
  qr_request: 'Zahlungsanforderung als QR-Code',
  scan: 'Mit Ihrer Zcash-Wallet scannen',
  by_hand: 'Oder von Hand bezahlen',
  exact_amount: 'Genauer Betrag',
  address: 'An diese Adresse',
  choose_amount: 'Geben Sie in Ihrer Wallet einen beliebigen Betrag ein.',
  choose_at_least: 'Geben Sie in Ihrer Wallet einen beliebigen Betrag ein, mindestens *{amount}*.',
  no_wallet: 'Noch keine Wallet?',
  no_wallet_text:
    'Sie brauchen eine Wallet, die abgeschirmtes (shielded) Zcash bezahlen kann, und etwas ZEC darin. Die Hersteller dieser Wallets geben an, dass sie eine solche Zahlungsanforderung öffnen:',
  no_wallet_then:
    'Laden Sie etwas ZEC in die Wallet. Scannen Sie dann den Code dieser Seite, oder öffnen Sie die Seite auf demselben Telefon.',
  received_rest: '{received} sind angekommen. {rest} sind noch zu bezahlen.',
  received_at_least: '{received} sind angekommen. Mindestens {rest} fehlen noch.',
  rest_of: 'der Rest von {price}',
  seen: 'Ihre Zahlung wurde gesehen. *Sie müssen nichts weiter tun.*',
  seen_late: 'Ihre Zahlung kam an, nachdem die Zeit um war. *Sie zählt trotzdem. Bezahlen Sie nicht noch einmal.*',
  seen_after_cancel:
    'Ihre Zahlung kam an, nachdem der Shop die Rechnung storniert hatte. *Sie zählt trotzdem. Bezahlen Sie nicht noch einmal.*',
  confirms_in: 'Das Netz bestätigt sie meist in etwa {time}.',
  confirms_at_once: 'Sie wird sofort bestätigt.',
  may_close: 'Sie können diese Seite schließen.',
  paid: 'Vielen Dank. Die Zahlung ist bestätigt.',
  paid_late: 'Vielen Dank. Die Zahlung kam nach Ablauf der Zeit an, und sie zählt.',
  overpaid: 'Sie haben *{amount}* zu viel bezahlt.',
  overpaid_ask: 'Der Shop sieht es und schuldet es Ihnen. Bitten Sie den Shop, es zurückzusenden.',
  reorged_title: 'Ihre Zahlung wird erneut bestätigt',
  reorged:
    'Das Zcash-Netz hat seine neuesten Blöcke ersetzt, und Ihre Zahlung ist noch nicht darin. Meist ist sie es nach wenigen Minuten wieder. *Bezahlen Sie nicht noch einmal.* Der Shop weiß es.',
  rest_counts:
    '{received} von {whole} sind angekommen. Die Zeit ist um, aber der Rest zählt noch bis {time}. *Bezahlen Sie nicht noch einmal den ganzen Betrag.*',
  rest_counts_open:
    '{received} von mindestens {whole} sind angekommen. Die Zeit ist um, aber der Rest zählt noch bis {time}.',
  rest_awaited:
    '{received} von {whole} sind angekommen, und die Einzahlung oben kann den Rest noch bezahlen. *Bezahlen Sie jetzt nicht noch einmal.* Diese Seite aktualisiert sich, wenn er ankommt.',
  rest_unwanted: 'Wenn Sie nicht mehr bezahlen möchten, bitten Sie den Shop, das Angekommene zurückzusenden.',
  late: '*Wenn Sie bezahlt haben, bezahlen Sie nicht noch einmal.* Lassen Sie diese Seite offen: Sie zeigt Ihre Zahlung, sobald sie gesehen wird. Sie zählt bis {time}.',
  late_unpaid: 'Wenn Sie nicht bezahlt haben, bezahlen Sie diese Rechnung nicht. Bitten Sie den Shop um eine neue.',
  settled: 'Der Shop hat diese Bestellung als bezahlt markiert. *Bezahlen Sie nichts mehr.*',
  canceled: '*Bezahlen Sie nicht.* Der Shop hat diese Rechnung storniert.',
  canceled_paid:
    'Wenn Sie schon bezahlt haben, bezahlen Sie nicht noch einmal. Diese Seite zeigt Ihre Zahlung, sobald sie gesehen wird. Sie zählt bis {time}.',
  canceled_part:
    'Der Shop hat diese Rechnung storniert. {received} sind angekommen. *Bezahlen Sie den Rest nicht.* Bitten Sie den Shop, das Angekommene zurückzusenden.',
  over: 'Diese Rechnung ist abgelaufen. *Bezahlen Sie sie nicht.* Bitten Sie den Shop um eine neue.',
  over_part:
    'Nur {received} kamen rechtzeitig an. Zahlungen an diese Rechnung zählen nicht mehr: *Bezahlen Sie den Rest nicht.* Bitten Sie den Shop, das Angekommene zurückzusenden.',
} as const satisfies Translation<typeof english>
