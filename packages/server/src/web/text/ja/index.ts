import { button } from './button.ts'
import { checkout } from './checkout.ts'
import { common } from './common.ts'
import { link } from './link.ts'
import { refund } from './refund.ts'

export const ja = { ...button, ...checkout, ...common, ...link, ...refund } as const
