import type * as Wire from '@zatgate/sdk/wire'
import { INVOICE_MARKS } from '../../../domain/sale/invoice.ts'
import type { InvoiceMarks } from '../../../services/sale/invoice-mark.ts'
import type { Swaps } from '../../../services/sale/swap.ts'
import type { App } from '../../app.ts'
import { accountOf } from '../../auth.ts'
import { IdParam, responses, stringEnum, wireBody } from '../../schema.ts'
import { InvoiceSchema, presentInvoice, serializeMetadata } from './invoice.ts'

const MarkInvoiceSchema = wireBody<Wire.MarkInvoiceRequest>()('MarkInvoiceRequest', {
  as: stringEnum(INVOICE_MARKS, '`settled`: you count it as paid. `invalid`: you count it as void.'),
})

interface Deps {
  readonly marks: InvoiceMarks
  readonly swaps: Pick<Swaps, 'currentByInvoice'>
}

export function invoiceMarkRoutes(app: App, { marks, swaps }: Deps): void {
  app.post(
    '/v1/invoices/:id/mark',
    {
      config: {
        rate: 'session',
        access: { scopes: ['invoices:write'], or: 'session' },
        errors: ['no_such_invoice'],
      },
      schema: {
        operationId: 'markInvoice',
        summary: 'Mark an invoice by hand',
        description:
          'Keeps what you say of it, such as that it was paid in another way. Its `status` stays what the chain shows. An invoice that is marked as `invalid` before any payment is canceled.',
        tags: ['invoices'],
        params: IdParam,
        body: MarkInvoiceSchema,
        response: responses(InvoiceSchema),
      },
    },
    async (request, reply) => {
      const marked = await marks.mark(accountOf(request), request.params.id, request.body.as)
      const shown = await presentInvoice(swaps, 'merchant', marked)
      serializeMetadata(reply)
      return shown
    },
  )
}
