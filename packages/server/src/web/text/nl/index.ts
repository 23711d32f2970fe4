import { button } from './button.ts'
import { checkout } from './checkout.ts'
import { common } from './common.ts'
import { link } from './link.ts'
import { receipt } from './receipt.ts'
import { refund } from './refund.ts'
import { swap } from './swap.ts'

export const nl = { ...button, ...checkout, ...common, ...link, ...receipt, ...refund, ...swap } as const
