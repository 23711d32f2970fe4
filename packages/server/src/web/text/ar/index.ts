import { button } from './button.ts'
import { checkout } from './checkout.ts'
import { common } from './common.ts'
import { refund } from './refund.ts'

export const ar = { ...button, ...checkout, ...common, ...refund } as const
