import type { link as english } from '../en/link.ts'
import type { Translation } from '../message.ts'

export const link = {
  link_pay: '支払う',
  link_amount: '金額（{currency}）',
  link_own_amount: 'または任意の金額（{currency}）',
  link_choose: '金額を選択してください',
  link_least: '{amount} 以上で入力してください。',
  link_rate: 'Zcash でのお支払いです。ZEC の金額は、次に進むと確定します。',
  link_zcash: 'Zcash でのお支払いです。',
  link_optional: '{label}（任意）',
  link_amount_wrong: '{example} のように金額を入力してください。',
  link_fill_in: 'この項目を入力してください。',
  link_paused: '現在お支払いを受け付けていません',
  link_paused_text: 'ショップがこのページを一時停止しています。後でもう一度お試しください。',
  link_ended: 'この販売は終了しました',
  link_ended_text: 'ご質問はショップにお問い合わせください。',
  link_sold_out: '売り切れ',
  link_sold_out_text: 'すべて販売済みか、現在お支払い中のお客様のために確保されています。',
  link_busy: 'ただいまこのショップへのリクエストが集中しています。数分後にもう一度お試しください。',
  link_unavailable:
    'ショップは現在このお支払いを受け付けられません。後でもう一度お試しいただくか、ショップにお問い合わせください。',
} as const satisfies Translation<typeof english>
