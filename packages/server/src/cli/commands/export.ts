import { resolve } from 'node:path'
import { systemClock } from '../../adapters/system/clock.ts'
import { type ExportFormat, isExportFormat } from '../../domain/export.ts'
import type { WorkWatch } from '../../ports/progress.ts'
import { createInvoiceExports, type InvoiceExport } from '../../services/export.ts'
import { writeNewFile } from '../../store/new-file.ts'
import type { Command } from '../command.ts'
import { parseDate } from '../date.ts'
import type { Output } from '../output.ts'
import { stoppable } from '../stop-signal.ts'
import { withStore } from '../store.ts'
import { parseArguments, requireValue, UsageError } from '../usage.ts'
import { accountService } from './account.ts'

export const exportInvoices: Command = {
  name: 'export',
  usage: 'export --email E [--format F] [--from DATE] [--to DATE] [FILE]',
  summary: 'writes the invoices of an account, oldest first, as CSV or JSON',
  arguments: [
    ['--email E', 'the account'],
    ['--format F', 'csv, json, or csv_semicolon: semicolons and decimal commas. Default: csv, or json with --json'],
    ['--from DATE', 'only those created at this UTC time or later, such as 2026-01-31'],
    ['--to DATE', 'only those created before this UTC time, such as 2026-02-28T12:00:00Z'],
    ['FILE', 'a new file in an existing folder; without it, standard output'],
  ],
  example: 'export --email shop@example.com --from 2026-01-01 --to 2027-01-01 invoices-2026.csv',
  async run(args, { out, config }) {
    const { values, positionals } = parseArguments(args, ['email', 'format', 'from', 'to'], 1)
    const email = requireValue(values.email, '--email')
    const [name] = positionals
    const file = name === undefined ? null : resolve(requireValue(name, 'FILE'))
    const format = formatOf(values.format, out, file)
    const from = values.from === undefined ? 0 : parseDate('--from', values.from)
    const to = values.to === undefined ? undefined : parseDate('--to', values.to)
    if (to !== undefined && to < from) throw new UsageError('--to must not be before --from')
    const period = { from, ...(to !== undefined && { to }) }
    const settings = config()
    const invoices = await withStore(
      settings,
      async store => {
        const account = await accountService(settings, store).findByEmail(email)
        const exports = createInvoiceExports({ store, clock: systemClock })
        return write(watch => exports.exportInvoices(account, null, format, period, watch), file, out)
      },
      { out },
    )
    const count = invoices === 1 ? '1 invoice' : `${invoices} invoices`
    if (file === null) out.note(count)
    else out.result({ file, format, invoices }, [`${count} written to ${file}`])
    return 0
  },
}

/** The format that was asked for. @throws UsageError unless the output can have it */
function formatOf(text: string | undefined, { json }: Output, file: string | null): ExportFormat {
  if (text === undefined) return json && file === null ? 'json' : 'csv'
  if (!isExportFormat(text)) throw new UsageError('--format must be csv, csv_semicolon or json')
  if (text !== 'json' && json && file === null)
    throw new UsageError(`--json prints JSON: for --format ${text}, give a FILE or leave out --json`)
  return text
}

/** @returns the number of invoices written */
async function write(start: (watch: WorkWatch) => InvoiceExport, file: string | null, out: Output): Promise<number> {
  // On a terminal the rows themselves show the progress.
  const progress = file === null && out.isTerminal ? null : out.progress('export', 'invoices')
  let written = 0
  const onProgress = (done: number, total: number) => {
    written = done
    progress?.update(done, total)
  }
  const leftBehind = file === null ? 'the output is incomplete' : `no file was written to ${file}`
  try {
    await stoppable(
      () => `stopped: ${leftBehind}`,
      async signal => {
        const { chunks } = start({ signal, onProgress })
        if (file !== null)
          await writeNewFile(file, async ({ handle }) => {
            for await (const chunk of chunks) await handle.appendFile(chunk)
          })
        else for await (const chunk of chunks) await out.write(chunk)
      },
    )
  } finally {
    progress?.end()
  }
  return written
}
