import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: '領収書',
  receipt_of: '領収書 {number}',
  receipt_amount: '金額',
  receipt_paid: 'お支払い日時',
  receipt_rate: '換算レート',
  receipt_received: '受領額',
  receipt_overpaid: '過払い額',
  receipt_refunded: '返金額',
  receipt_invoice: '請求番号',
  receipt_transaction: 'トランザクション',
  receipt_newest: '最新のトランザクションのみ表示しています。',
  receipt_print: '印刷または PDF で保存',
  receipt_print_by_hand: 'このページを印刷または PDF で保存するには、ブラウザのメニューをご利用ください。',
  receipt_mail: 'メールで送る',
  receipt_address: 'メールアドレス',
  receipt_address_hint: 'このメールの送信にのみ使用し、その後は保存しません。',
  receipt_address_wrong: 'メールアドレスの形式が正しくありません。{example} のように入力してください。',
  receipt_mailed: '領収書は数分以内にメールで届きます。',
  receipt_mail_limit: 'この領収書はすでに上限の {count} 回メールで送信されています。印刷は引き続きできます。',
  receipt_mail_busy:
    'このショップの領収書メールが過去 1 時間に多く送信されたため、現在は送信できません。後でもう一度お試しください。印刷は今すぐできます。',
  mail_line: '{label}：{value}',
  mail_page: '印刷用の領収書：{link}',
  mail_why:
    'この領収書のページでお客様のメールアドレスが入力されました。お心当たりがない場合は、このメールを破棄してください。',
} as const satisfies Translation<typeof english>
