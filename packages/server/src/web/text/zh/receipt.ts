import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../message.ts'

export const receipt = {
  receipt: '收据',
  receipt_of: '收据 {number}',
  receipt_amount: '金额',
  receipt_paid: '付款时间',
  receipt_rate: '汇率',
  receipt_received: '已收到',
  receipt_overpaid: '多付金额',
  receipt_refunded: '已退款',
  receipt_invoice: '账单号',
  receipt_transaction: '交易',
  receipt_newest: '以上是最近的交易。',
  receipt_print: '打印或保存为 PDF',
  receipt_print_by_hand: '如需打印本页面或保存为 PDF，请使用浏览器的菜单。',
  receipt_mail: '通过邮件发送',
  receipt_address: '您的电子邮箱',
  receipt_address_hint: '仅用于发送这一封邮件，之后不会保留。',
  receipt_address_wrong: '这不是有效的电子邮箱。请输入类似 {example} 的地址。',
  receipt_mailed: '收据将在几分钟内送达您的邮箱。',
  receipt_mail_limit: '此收据已通过邮件发送 {count} 次，已达上限。您仍然可以打印。',
  receipt_mail_busy: '过去一小时内，该商店发送的收据邮件过多。请稍后再试。您现在可以先打印。',
  mail_line: '{label}：{value}',
  mail_page: '可打印的收据：{link}',
  mail_why: '有人在此收据的页面上输入了您的邮箱。如果不是您本人，请忽略此邮件。',
} as const satisfies Translation<typeof english>
