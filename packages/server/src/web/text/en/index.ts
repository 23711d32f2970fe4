import { button } from './button.ts'
import { checkout } from './checkout.ts'
import { common } from './common.ts'

export const en = { ...common, ...button, ...checkout } as const
