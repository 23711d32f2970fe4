import { rescan as rescanBlocks } from '../../workers/chain/rescan.ts'
import type { Context } from '../context.ts'
import { withChain } from '../services.ts'
import { stoppable } from '../stop-signal.ts'

export async function rescan({ from }: { readonly from: number }, context: Context): Promise<void> {
  const { out } = context
  const { to, found } = await withChain(context, 'rescan', async ({ infrastructure, services }) => {
    const { chain, noteScanner } = infrastructure
    const { auditLog, chainRecorder, recordedChain, scanKeys } = services
    await auditLog.recordCommand('rescan_started', `from block ${from}`)
    const progress = out.progress('rescan', 'blocks')
    let next = from
    const onProgress = (height: number, last: number) => {
      next = height + 1
      progress.update(next - from, last - from + 1)
    }
    const deps = { chain, noteScanner, chainRecorder, recordedChain, scanKeys, onProgress }
    try {
      return await stoppable(
        () =>
          `stopped before block ${next}: the payments found so far are recorded; to go on: zatgate rescan --from ${next}`,
        signal => rescanBlocks(deps, from, signal),
      )
    } finally {
      progress.end()
    }
  })
  out.result({ from, to, found }, [
    `blocks ${from} to ${to} read again: ${found === 1 ? '1 invoice' : `${found} invoices`} changed`,
  ])
}
