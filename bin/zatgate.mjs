#!/usr/bin/env node
// Runs on any Node from 18 on, and hands over to main.ts on a new enough one.
import { join } from 'node:path'
import { neededToRun } from './launcher/install.mjs'
import { environmentFor, exitWith, makeReady, ROOT } from './launcher/launch.mjs'
import { runInForeground } from './launcher/processes.mjs'

const COMMAND = join(ROOT, 'bin', 'main.ts')

await exitWith(async () => {
  const node = await makeReady(neededToRun)
  return runInForeground(node, [COMMAND, ...process.argv.slice(2)], { env: environmentFor(node), lifeline: true })
})
