import { checkout } from './checkout.ts'
import { common } from './common.ts'

export const en = { ...common, ...checkout } as const
