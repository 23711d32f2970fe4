// The project's own tasks, on the same Node as the service: node bin/run.mjs <task> [arguments]

import { LaunchError } from './launcher/fail.mjs'
import { neededToDevelop } from './launcher/install.mjs'
import { environmentFor, exitWith, makeReady, ROOT } from './launcher/launch.mjs'
import { runInForeground } from './launcher/processes.mjs'
import { TASKS } from './launcher/tasks.mjs'

await exitWith(async () => {
  const [name, ...args] = process.argv.slice(2)
  const task = TASKS[name]
  if (!task) throw new LaunchError(`unknown task ${name ?? '(none)'}; there are ${Object.keys(TASKS).join(', ')}`, 2)
  const commands = task(args)
  const node = await makeReady(neededToDevelop)
  let failed = 0
  for (const { program = node, args } of commands) {
    const code = await runInForeground(program, args, { cwd: ROOT, env: environmentFor(node) })
    if (code > 128) return code // stopped by a signal: so is the rest
    failed ||= code
  }
  return failed
})
