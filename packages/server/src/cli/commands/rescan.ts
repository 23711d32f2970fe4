import type { Config } from '../../config/settings.ts'
import { openContainer } from '../../container.ts'
import { type RescanResult, rescan as rescanBlocks } from '../../workers/chain/rescan.ts'
import type { Command } from '../command.ts'
import { withMigrationProgress } from '../migration.ts'
import type { Output } from '../output.ts'
import { stoppable } from '../stop-signal.ts'
import { requireDatabase } from '../store.ts'
import { parseArguments, requireValue, UsageError } from '../usage.ts'

export const rescan: Command = {
  name: 'rescan',
  usage: 'rescan --from HEIGHT',
  summary: 'reads the chain again and records missed payments; changes nothing else',
  arguments: [['--from HEIGHT', 'the first block that is read again']],
  example: 'rescan --from 3042000',
  async run(args, { out, config }) {
    const text = requireValue(parseArguments(args, ['from'], 0).values.from, '--from')
    if (!/^\d{1,10}$/.test(text)) throw new UsageError('--from must be a block height')
    const settings = config()
    if (settings.sandbox) throw new Error('rescan needs NETWORK and LIGHTWALLETD_URL')
    const from = Number(text)
    const { to, found } = await runRescan(settings, from, out)
    out.result({ from, to, found }, [
      `blocks ${from} to ${to} read again: ${found === 1 ? '1 invoice' : `${found} invoices`} changed`,
    ])
    return 0
  },
}

/** Uses the services of `start`, so that a found payment also raises events and updates plans and withdrawals. */
async function runRescan(config: Config, from: number, out: Output): Promise<RescanResult> {
  requireDatabase(config)
  await using stack = new AsyncDisposableStack()
  const { infrastructure, services } = await withMigrationProgress(out, migration =>
    openContainer({ ...config, logLevel: 'warn' }, { migration }, stack),
  )
  const { chain, noteScanner } = infrastructure
  const { auditLog, chainRecorder, recordedChain, scanKeys } = services
  await auditLog.recordCommand('rescan_started', `from block ${from}`)
  const progress = out.progress('rescan', 'blocks')
  let next = from
  const onProgress = (height: number, to: number) => {
    next = height + 1
    progress.update(next - from, to - from + 1)
  }
  try {
    return await stoppable(
      () =>
        `stopped before block ${next}: the payments found so far are recorded; to go on: zatgate rescan --from ${next}`,
      signal => rescanBlocks({ chain, noteScanner, chainRecorder, recordedChain, scanKeys, onProgress }, from, signal),
    )
  } finally {
    progress.end()
  }
}
