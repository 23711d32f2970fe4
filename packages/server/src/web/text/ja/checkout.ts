import type { checkout as english } from '../en/checkout.ts'
import type { Translation } from '../message.ts'

export const checkout = {
  title_pay: 'Zcash で支払う',
  title_choose: '金額を選ぶ',
  title_seen: 'お支払いを検出しました',
  title_paid: '支払い済み',
  title_rest: '残りを支払う',
  title_rest_awaited: '残りの到着を待っています',
  title_time_up: '時間切れです',
  title_expired: '期限切れ',
  title_settled: 'お支払いは不要です',
  title_canceled: 'キャンセル済み',
  title_underpaid: '全額が支払われていません',
  steps: '進行状況',
  step_pay: '支払う',
  step_seen: '検出',
  step_confirmed: '承認',
  step_confirmed_of: '{confirmed} / {needed}',
  step_done: '完了',
  pay_by: '{time} までに支払う',
  time_left: '残り {time}',
  page_updates: 'お支払いが届くと、このページは自動で更新されます。',
  time_up_now:
    '*時間切れです。* すでに支払った場合は、このページを開いたままにしてください。検出され次第、お支払いが表示されます。まだの場合は、今は支払わないでください。',
  time_up_part:
    '*時間切れです。* すでに支払った場合は、このページを開いたままにしてください。検出され次第、お支払いが表示されます。',
  with_zcash: 'Zcash',
  with_other: 'BTC、USDC など',
  ways_to_pay: '支払い方法',
  open_wallet: 'ウォレットで開く',
  show_qr: 'QR コードを表示',
  qr_request: 'QR コードの支払いリクエスト',
  scan: 'Zcash ウォレットで読み取ってください',
  by_hand: 'または手動で支払う',
  exact_amount: '正確な金額',
  address: 'このアドレスへ',
  choose_amount: 'ウォレットで任意の金額を入力してください。',
  choose_at_least: 'ウォレットで *{amount}* 以上の任意の金額を入力してください。',
  no_wallet: 'ウォレットをお持ちでない場合',
  no_wallet_text:
    'シールド（shielded）された Zcash を支払えるウォレットと、その中に ZEC が必要です。次のウォレットの開発元は、このような支払いリクエストを開けると説明しています。',
  no_wallet_then:
    'ウォレットに ZEC を入れてください。その後、このページのコードを読み取るか、同じ電話でこのページを開いてください。',
  received_rest: '{received} が届きました。残りは {rest} です。',
  received_at_least: '{received} が届きました。あと {rest} 以上必要です。',
  rest_of: '{price} の残り',
  seen: 'お支払いを検出しました。*これ以上の操作は必要ありません。*',
  seen_late: 'お支払いは時間切れの後に届きました。*それでも有効です。もう一度支払わないでください。*',
  seen_after_cancel:
    'お支払いは、ショップが請求をキャンセルした後に届きました。*それでも有効です。もう一度支払わないでください。*',
  confirms_in: '通常、約 {time}でネットワークが承認します。',
  confirms_at_once: 'すぐに承認されます。',
  may_close: 'このページを閉じてもかまいません。',
  paid: 'ありがとうございます。お支払いが承認されました。',
  paid_late: 'ありがとうございます。お支払いは時間切れの後に届きましたが、有効です。',
  overpaid: '*{amount}* 多く支払われています。',
  overpaid_ask: 'ショップはこれを確認でき、お返しする義務があります。返金をショップに依頼してください。',
  reorged_title: 'お支払いを再び承認しています',
  reorged:
    'Zcash ネットワークが最新のブロックを置き換えたため、お支払いがまだ含まれていません。通常は数分で再び含まれます。*もう一度支払わないでください。* ショップは把握しています。',
  rest_counts:
    '{whole} のうち {received} が届きました。時間切れですが、残りは {time} まで有効です。*全額をもう一度支払わないでください。*',
  rest_counts_open: '{whole} 以上のうち {received} が届きました。時間切れですが、残りは {time} まで有効です。',
  rest_awaited:
    '{whole} のうち {received} が届きました。上の入金で残りが支払われる可能性があります。*今はもう一度支払わないでください。* 届くとこのページが更新されます。',
  rest_unwanted: '支払いをやめる場合は、届いた分の返金をショップに依頼してください。',
  late: '*すでに支払った場合は、もう一度支払わないでください。* このページを開いたままにしてください。検出され次第、お支払いが表示されます。{time} まで有効です。',
  late_unpaid: 'まだ支払っていない場合は、この請求を支払わないでください。ショップに新しい請求を依頼してください。',
  settled: 'ショップがこの注文を支払い済みとしました。*これ以上支払わないでください。*',
  canceled: '*支払わないでください。* ショップがこの請求をキャンセルしました。',
  canceled_paid:
    'すでに支払った場合は、もう一度支払わないでください。検出され次第、このページにお支払いが表示されます。{time} まで有効です。',
  canceled_part:
    'ショップがこの請求をキャンセルしました。{received} が届いています。*残りを支払わないでください。* 届いた分の返金をショップに依頼してください。',
  over: 'この請求は期限切れです。*支払わないでください。* ショップに新しい請求を依頼してください。',
  over_part:
    '期限内に届いたのは {received} だけです。この請求への支払いはもう有効ではありません。*残りを支払わないでください。* 届いた分の返金をショップに依頼してください。',
} as const satisfies Translation<typeof english>
