import { Readable } from 'node:stream'
import { AppError } from '../../../domain/error.ts'
import { isExportFormat } from '../../../domain/sale/export.ts'
import { DAY_SECS, parseDay } from '../../../domain/time.ts'
import type { InvoiceExport } from '../../../services/sale/export.ts'
import type { AuthenticatedUser } from '../../auth.ts'
import type { Site } from '../../context.ts'
import { errorSentence } from '../../error-text.ts'
import { checkFormToken, formToken } from '../../form-token.ts'
import { formFields } from '../../forms.ts'
import { exportPage } from '../../pages/sale/export.ts'

export function exportPages(site: Site): void {
  const { exports, keyedHash } = site.deps
  const show = (user: AuthenticatedUser, view: { from?: string; to?: string; error?: string }) =>
    exportPage(site.pageUser(user), { ...view, token: formToken(keyedHash, user.session) })

  site.page('GET', '/export', async (_request, _reply, user) => show(user, {}))

  site.page('POST', { path: '/export/download', rate: 'export' }, async (request, reply, user) => {
    const form = formFields(request)
    checkFormToken(keyedHash, user.session, form)
    const { format = 'csv', from = '', to = '' } = form
    const first = from === '' ? 0 : parseDay(from)
    const last = to === '' ? null : parseDay(to)
    const reject = (error: string, status = 400) => {
      reply.code(status)
      return show(user, { from, to, error })
    }
    if (first === null || (to !== '' && last === null) || !isExportFormat(format)) {
      return reject('Enter dates as YYYY-MM-DD, for example 2026-11-21, and choose CSV or JSON.')
    }
    if (last !== null && last < first) return reject('The end date is before the start date.')
    const period = { from: first, ...(last === null ? {} : { to: last + DAY_SECS }) }
    let file: InvoiceExport
    try {
      file = exports.exportInvoices(user.account, user.session, format, period)
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'too_many')) throw error
      reply.header('retry-after', error.retryAfterSecs)
      return reject(`${errorSentence(error)} Wait until it ends.`, 429)
    }
    const { type, fileName, chunks } = file
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(chunks))
  })
}
