import { Readable } from 'node:stream'
import { AppError } from '../../../domain/error.ts'
import { type ExportKind, isExportFormat, isExportKind } from '../../../domain/sale/export.ts'
import { REFUND_STATUSES } from '../../../domain/sale/refund.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import type { ExportFile } from '../../../services/sale/export.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { checkFormToken, formToken } from '../../form-token.ts'
import { formFields, queryFields } from '../../forms.ts'
import { statusFilter } from '../../invoice-filter.ts'
import { exportPage } from '../../pages/sale/export.ts'
import { plain } from '../../text/dashboard.ts'

export function exportPages(site: Site): void {
  const { exports, keyedHash } = site.deps
  const show = (user: AuthenticatedUser, view: { kind: ExportKind; from?: string; to?: string; error?: string }) =>
    exportPage(site.pageUser(user), { ...view, token: formToken(keyedHash, user.session) })

  site.page('GET', '/export', async (request, _reply, user) => {
    const { kind = '' } = queryFields(request)
    return show(user, { kind: isExportKind(kind) ? kind : 'invoices' })
  })

  site.page('POST', { path: '/export/download', rate: 'export' }, async (request, reply, user) => {
    const form = formFields(request)
    checkFormToken(keyedHash, user.session, form)
    const { kind = 'invoices', format = 'csv', from = '', to = '', status } = form
    const first = from === '' ? 0 : parseDay(from)
    const last = to === '' ? null : parseDay(to)
    const reject = (error: string, status = 400) => {
      reply.code(status)
      return show(user, { kind: isExportKind(kind) ? kind : 'invoices', from, to, error })
    }
    if (first === null || (to !== '' && last === null) || !isExportFormat(format) || !isExportKind(kind)) {
      return reject(plain('export_error'))
    }
    if (last !== null && last < first) return reject(plain('export_error_order'))
    const period = { from: first, ...(last === null ? {} : { to: last + DAY_SECS }) }
    let file: ExportFile
    try {
      const { account, session } = user
      file =
        kind === 'invoices'
          ? exports.invoices(account, session, format, period, undefined, statusFilter(form))
          : exports.refunds(
              account,
              session,
              format,
              period,
              undefined,
              REFUND_STATUSES.find(name => name === status),
            )
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'too_many')) throw error
      reply.header('retry-after', error.retryAfterSecs)
      return reject(`${errorSentence(error)} ${plain('export_error_busy')}`, 429)
    }
    const { type, fileName, chunks } = file
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(chunks))
  })
}
