import { Readable } from 'node:stream'
import { DAY_SECS, readDay } from '../../domain/time.ts'
import { queryOf } from '../forms.ts'
import { exportPage } from '../pages/export.ts'
import type { Site } from '../site.ts'

export function exportPages(site: Site): void {
  site.page('GET', '/export', async (_request, _reply, who) => exportPage(site.viewer(who), {}))

  site.page('GET', '/export/download', async (request, reply, who) => {
    const { format = 'csv', from = '', to = '' } = queryOf(request)
    const first = from === '' ? 0 : readDay(from)
    const last = to === '' ? null : readDay(to)
    const refuse = (error: string) => {
      reply.code(400)
      return exportPage(site.viewer(who), { from, to, error })
    }
    if (first === null || (to !== '' && last === null) || (format !== 'csv' && format !== 'json')) {
      return refuse('Days look like 2026-11-21, and the format is CSV or JSON.')
    }
    if (last !== null && last < first) return refuse('The last day is before the first.')
    const period = { from: first, ...(last === null ? {} : { to: last + DAY_SECS }) }
    const { type, fileName, chunks } = site.deps.exports.write(who.account, format, period)
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Readable.from(chunks))
  })
}
