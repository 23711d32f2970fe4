import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { EXPIRY_SECS, INVOICE_STATUSES } from '../../domain/invoice.ts'
import { MAX_ZAT } from '../../domain/money.ts'
import { Id, named, noExtraFields, nullable, stringEnum, Txid, UnixSecs, wireSchema, Zat } from './common.ts'
import { Swap } from './swap.ts'

export const InvoiceStatus = wireSchema<Wire.InvoiceStatus>()(
  named(
    'InvoiceStatus',
    stringEnum(
      INVOICE_STATUSES,
      '`detected`: the full amount is seen. `paid`: it is confirmed. `underpaid`: expired with a payment that is too small.',
    ),
  ),
)

export const CreateInvoice = wireSchema<Wire.CreateInvoiceRequest>()(
  named(
    'CreateInvoiceRequest',
    Type.Object(
      {
        amount_zat: Type.Integer({ minimum: 1, maximum: Number(MAX_ZAT), description: 'Requested amount.' }),
        expires_in_secs: Type.Optional(
          Type.Integer({
            minimum: EXPIRY_SECS.min,
            maximum: EXPIRY_SECS.max,
            description: `Seconds until the invoice expires. Default ${EXPIRY_SECS.default}.`,
          }),
        ),
      },
      noExtraFields,
    ),
  ),
)

export const CreatedInvoice = wireSchema<Wire.CreatedInvoice>()(
  named(
    'CreatedInvoice',
    Type.Object({
      id: Id,
      address: Type.String({ description: 'Unified address with one Orchard receiver.' }),
      amount_zat: Zat('Requested amount.'),
      zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
      status: InvoiceStatus,
      expires_at: UnixSecs('Expiry time.'),
    }),
  ),
)

export const Invoice = wireSchema<Wire.Invoice>()(
  named(
    'Invoice',
    Type.Object({
      id: Id,
      status: InvoiceStatus,
      amount_zat: Zat('Requested amount.'),
      address: Type.String(),
      zip321_uri: Type.String({ description: 'ZIP 321 payment request.' }),
      expires_at: UnixSecs('Expiry time.'),
      txid: Txid,
      received_zat: Zat('Amount received, mempool included.'),
      overpaid_zat: Zat('Amount received above the requested amount.'),
      swap: nullable(Swap),
    }),
  ),
)

export const InvoiceListItem = wireSchema<Wire.InvoiceListItem>()(
  named(
    'InvoiceListItem',
    Type.Object({
      id: Id,
      status: InvoiceStatus,
      amount_zat: Zat('Requested amount.'),
      received_zat: Zat('Amount received, mempool included.'),
      overpaid_zat: Zat('Amount received above the requested amount.'),
      address: Type.String(),
      txid: Txid,
      created_at: UnixSecs('Creation time.'),
      expires_at: UnixSecs('Expiry time.'),
      paid_at: nullable(UnixSecs('Payment time; null until paid.')),
    }),
  ),
)
