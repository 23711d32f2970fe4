import { resolve } from 'node:path'
import type { ExportFormat } from '../../domain/sale/export.ts'
import type { WorkWatch } from '../../ports/progress.ts'
import type { InvoiceExport } from '../../services/sale/export.ts'
import { writeNewFile } from '../../store/new-file.ts'
import { UsageError } from '../argument.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'
import { withServices } from '../services.ts'
import { stoppable } from '../stop-signal.ts'

interface ExportArguments {
  readonly email: string
  readonly format: ExportFormat | undefined
  /** Unix seconds, as `to`. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Undefined: standard output. */
  readonly file: string | undefined
}

export async function exportInvoices(values: ExportArguments, context: Context): Promise<void> {
  const { email, from = 0, to } = values
  const { out } = context
  const file = values.file === undefined ? null : resolve(values.file)
  const format = formatOf(values.format, out, file)
  if (to !== undefined && to < from) throw new UsageError('--to must not be before --from')
  const period = { from, ...(to !== undefined && { to }) }
  const invoices = await withServices(context, async ({ accounts, exports }) => {
    const account = await accounts.findByEmail(email)
    return write(watch => exports.exportInvoices(account, null, format, period, watch), file, out)
  })
  const count = invoices === 1 ? '1 invoice' : `${invoices} invoices`
  if (file === null) out.note(count)
  else out.result({ file, format, invoices }, [`${count} written to ${file}`])
}

/** The format that was asked for. @throws UsageError unless the output can have it */
function formatOf(format: ExportFormat | undefined, { json }: Output, file: string | null): ExportFormat {
  if (format === undefined) return json && file === null ? 'json' : 'csv'
  if (format !== 'json' && json && file === null)
    throw new UsageError(`--json prints JSON: for --format ${format}, give a FILE or leave out --json`)
  return format
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
