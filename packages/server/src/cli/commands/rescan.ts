import type { Config } from '../../config/settings.ts'
import { createServices, openWatch, openWorld } from '../../main.ts'
import { type Rescanned, rescan as readAgain } from '../../workers/chain/rescan.ts'
import { type Command, needed, readArguments, WrongUse } from '../command.ts'

export const rescan: Command = {
  name: 'rescan',
  usage: 'rescan --from HEIGHT',
  summary: 'reads the chain again and records the payments that were missed; changes nothing else',
  async run(args, { out, config }) {
    const text = needed(readArguments(args, ['from'], 0).values.from, '--from')
    if (!/^\d{1,10}$/.test(text)) throw new WrongUse('--from is a height')
    const settings = config()
    if (settings.sandbox) throw new Error('a rescan needs NETWORK and LIGHTWALLETD_URL')
    const from = Number(text)
    const { to, found } = await read(settings, from, out.note)
    out.result({ from, to, found }, [`read blocks ${from} to ${to} again: ${found} invoices changed`])
    return 0
  },
}

/** With everything that follows from a payment found, as in the service: events, plans, withdrawals. */
async function read(config: Config, from: number, note: (line: string) => void): Promise<Rescanned> {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({ ...config, logLevel: 'warn' }, {}, stack)
  const { reassess } = await createServices(world)
  const watch = openWatch(world, reassess)
  const onProgress = (height: number, to: number) => note(`block ${height} of ${to}`)
  return await readAgain({ ...watch, viewer: world.viewer, onProgress }, from, new AbortController().signal)
}
