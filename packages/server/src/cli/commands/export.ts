import { resolve } from 'node:path'
import type { ExportFormat, ExportKind } from '../../domain/sale/export.ts'
import type { WorkWatch } from '../../ports/progress.ts'
import type { ExportFile } from '../../services/sale/export.ts'
import { writeNewFile } from '../../store/new-file.ts'
import { UsageError } from '../argument.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'
import { withServices } from '../services.ts'
import { stoppable } from '../stop-signal.ts'

interface ExportArguments {
  readonly email: string
  readonly kind: ExportKind | undefined
  readonly format: ExportFormat | undefined
  /** Unix seconds, as `to`. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Undefined: standard output. */
  readonly file: string | undefined
}

export async function exportRows(values: ExportArguments, context: Context): Promise<void> {
  const { email, kind = 'invoices', from = 0, to } = values
  const { out } = context
  const file = values.file === undefined ? null : resolve(values.file)
  const format = formatOf(values.format, out, file)
  if (to !== undefined && to < from) throw new UsageError('--to must not be before --from')
  const period = { from, ...(to !== undefined && { to }) }
  const rows = await withServices(context, async ({ accounts, exports }) => {
    const account = await accounts.findByEmail(email)
    return write(kind, watch => exports[kind](account, null, format, period, watch), file, out)
  })
  const count = rows === 1 ? `1 ${kind.slice(0, -1)}` : `${rows} ${kind}`
  if (file === null) out.note(count)
  else out.result({ file, format, [kind]: rows }, [`${count} written to ${file}`])
}

/** The format that was asked for. @throws UsageError unless the output can have it */
function formatOf(format: ExportFormat | undefined, { json }: Output, file: string | null): ExportFormat {
  if (format === undefined) return json && file === null ? 'json' : 'csv'
  if (format !== 'json' && json && file === null)
    throw new UsageError(`--json prints JSON: for --format ${format}, give a FILE or leave out --json`)
  return format
}

/** @returns the number of rows written */
async function write(
  kind: ExportKind,
  start: (watch: WorkWatch) => ExportFile,
  file: string | null,
  out: Output,
): Promise<number> {
  // On a terminal the rows themselves show the progress.
  const progress = file === null && out.isTerminal ? null : out.progress('export', kind)
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
