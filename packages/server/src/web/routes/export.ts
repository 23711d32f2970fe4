import { Readable } from 'node:stream'
import { DAY_SECS, parseDay } from '../../domain/time.ts'
import type { Site } from '../context.ts'
import { queryFields } from '../forms.ts'
import { exportPage } from '../pages/export.ts'

export function exportPages(site: Site): void {
  site.page('GET', '/export', async (_request, _reply, user) => exportPage(site.pageUser(user), {}))

  site.page('GET', { path: '/export/download', rate: 'export' }, async (request, reply, user) => {
    const { format = 'csv', from = '', to = '' } = queryFields(request)
    const first = from === '' ? 0 : parseDay(from)
    const last = to === '' ? null : parseDay(to)
    const reject = (error: string) => {
      reply.code(400)
      return exportPage(site.pageUser(user), { from, to, error })
    }
    if (first === null || (to !== '' && last === null) || (format !== 'csv' && format !== 'json')) {
      return reject('Enter dates as YYYY-MM-DD, for example 2026-11-21, and choose CSV or JSON.')
    }
    if (last !== null && last < first) return reject('The end date is before the start date.')
    const period = { from: first, ...(last === null ? {} : { to: last + DAY_SECS }) }
    const { type, fileName, chunks } = site.deps.exports.exportInvoices(user.account, format, period)
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(chunks))
  })
}
