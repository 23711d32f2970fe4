import { formatUtc } from '../../domain/time.ts'
import type { Context } from '../context.ts'
import { withServices } from '../services.ts'

export async function restored(context: Context): Promise<void> {
  const { viewingKeys, watchedUntil } = await withServices(context, ({ databaseIdentity }) =>
    databaseIdentity.advanceCounters(),
  )
  const { out } = context
  out.result({ viewing_keys: viewingKeys, watched_until: watchedUntil }, describe(viewingKeys, watchedUntil))
  if (viewingKeys > 0) out.note('Restart the service if it is running: it has reserved addresses in memory.')
}

function describe(viewingKeys: number, watchedUntil: number): string[] {
  if (viewingKeys === 0) return ['no viewing keys: there is no address counter to advance']
  return [
    `viewing keys whose address counter was advanced: ${viewingKeys}`,
    'new addresses differ from all addresses handed out after the backup was made',
    `all viewing keys are scanned until at least ${formatUtc(watchedUntil)}`,
  ]
}
