import type { common as english } from '../en/common.ts'
import type { Translation } from '../message.ts'

export const common = {
  test_bar: '*テスト。* 本物のお金ではありません。実際のウォレットで支払わないでください。',
  chain_unseen: '現在 Zcash ネットワークを確認できません。お支払いは安全です。確認でき次第、表示されます。',
  no_connection:
    '接続がありません。このページは最新でない可能性があります。接続が戻ると自動で更新されます。送信済みのお支払いは安全です。',
  payment: 'お支払い',
  copy: 'コピー',
  copied: 'コピーしました',
  not_copied: 'コピーできませんでした',
  copy_amount: '金額をコピー',
  copy_address: 'アドレスをコピー',
  copy_number: '請求番号をコピー',
  copy_txid: 'トランザクション ID をコピー',
  order: '注文 {order}',
  invoice_number: '請求 {number}',
  support: 'ショップのヘルプ',
  language: '言語',
  made_with: 'zatgate による決済',
  back_to: '{shop} に戻る',
  returning_to: '{shop} に戻ります…',
  link_broken: 'この支払いリンクは使えません',
  link_broken_text: 'ご注文のリンクを確認するか、ショップにお問い合わせください。',
  link_gone: 'このページはもう表示できません',
  link_gone_text: 'この請求はしばらく前に終了しました。ご質問はショップにお問い合わせください。',
  too_many: 'リクエストが多すぎます',
  too_many_text: '1 分待ってから、もう一度このページを開いてください。送信済みのお支払いは安全です。',
  went_wrong: '問題が発生しました',
  went_wrong_text: '1 分後にもう一度このページを開いてください。送信済みのお支払いは安全です。',
} as const satisfies Translation<typeof english>
