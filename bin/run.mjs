// Runs the project's development tasks on the same Node as the service: node bin/run.mjs <task> [arguments]

import { COMPILED } from './launcher/compiled.mjs'
import { LaunchError } from './launcher/fail.mjs'
import { environmentFor, exitWith, prepare, ROOT } from './launcher/launch.mjs'
import { runInForeground } from './launcher/processes.mjs'
import { TASKS } from './launcher/tasks.mjs'

/** Hundreds of processes load the same files. Others are measured, and start as the service does. */
const CACHED = new Set(['test', 'mutants'])

await exitWith(async () => {
  const [name, ...args] = process.argv.slice(2)
  const task = TASKS[name]
  if (!task)
    throw new LaunchError(`unknown task ${name ?? '(none)'}; available tasks: ${Object.keys(TASKS).join(', ')}`, 2)
  const commands = task(args)
  const node = await prepare({ develop: true })
  const env = { ...environmentFor(node), ...(CACHED.has(name) && { NODE_COMPILE_CACHE: COMPILED }) }
  let failed = 0
  for (const { program = node, args } of commands) {
    const code = await runInForeground(program, args, { cwd: ROOT, env })
    if (code > 128) return code // ended by a signal: skip the remaining commands
    failed ||= code
  }
  return failed
})
