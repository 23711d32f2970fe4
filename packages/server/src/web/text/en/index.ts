import { button } from './button.ts'
import { checkout } from './checkout.ts'
import { common } from './common.ts'
import { receipt } from './receipt.ts'
import { refund } from './refund.ts'

export const en = { ...common, ...button, ...checkout, ...receipt, ...refund } as const
