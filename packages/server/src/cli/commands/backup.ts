import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, needed, readArguments } from '../command.ts'
import { withStore } from '../store.ts'

export const backup: Command = {
  name: 'backup',
  usage: 'backup FILE',
  summary: 'writes a consistent copy of the database into a new file, while the service runs',
  async run(args, { out, config }) {
    const file = resolve(needed(readArguments(args, [], 1).positionals[0], 'FILE'))
    if (existsSync(file)) throw new Error(`${file} already exists and is not overwritten`)
    await withStore(config(), store => store.backup(file))
    out.result({ file }, [`written to ${file}`])
    out.note('Secrets in it are sealed: keep ENCRYPTION_KEY too, in another place.')
    return 0
  },
}
