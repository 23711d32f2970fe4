import type { PartFactory } from '../run/part.ts'
import { billingPart } from './billing/part.ts'
import { chainPart } from './chain/part.ts'
import { deletionPart } from './deletion/part.ts'
import { endpointPart } from './endpoint/part.ts'
import { eventPart, feedPart } from './event/part.ts'
import { mailPart } from './mail/part.ts'
import { operatorPart } from './operator/part.ts'
import { poisonPart } from './poison/part.ts'
import { processPart } from './process/part.ts'
import { refundPart } from './refund/part.ts'
import { salePart } from './sale/part.ts'
import { signInPart } from './sign-in/part.ts'
import { swapPart } from './swap/part.ts'
import { webhookPart } from './webhook/part.ts'
import { websocketPart } from './websocket/part.ts'
import { withdrawalPart } from './withdrawal/part.ts'

/** All parts of the world, in the order of their creation. */
export const PARTS: readonly PartFactory[] = [
  salePart,
  chainPart,
  processPart,
  swapPart,
  operatorPart,
  withdrawalPart,
  billingPart,
  webhookPart,
  mailPart,
  signInPart,
  deletionPart,
  websocketPart,
  poisonPart,
  refundPart,
  eventPart,
  feedPart,
  endpointPart,
]
