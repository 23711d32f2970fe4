#!/usr/bin/env node
// Runs on Node 18 or newer and starts main.ts on a Node version that supports it.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentFor, exitWith, prepare, ROOT } from './launcher/launch.mjs'
import { runInForeground } from './launcher/processes.mjs'

const TYPES = pathToFileURL(join(ROOT, 'bin', 'types.mjs')).href
const COMMAND = join(ROOT, 'bin', 'main.ts')

await exitWith(async () => {
  const node = await prepare({ develop: false })
  return runInForeground(node, ['--import', TYPES, COMMAND, ...process.argv.slice(2)], {
    env: environmentFor(node),
    lifeline: true,
  })
})
