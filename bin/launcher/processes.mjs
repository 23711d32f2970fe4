import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { constants } from 'node:os'
import { basename } from 'node:path'
import { LaunchError } from './fail.mjs'

/** A child that was asked to stop and has not is killed after this long. */
const STOP_WITHIN_MS = 20_000
const WATCH_EVERY_MS = 250
/** Not SIGHUP: its default ends us, which the child notices. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM']

const runnerAtStart = runnerLinks()

/**
 * Runs a command in the foreground and stops it when this process is asked to stop. It shares our process group, so a
 * Ctrl-C reaches it from the terminal and from us: it shall take the second signal as part of the first.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, lifeline?: boolean }} [options] `lifeline` opens an IPC channel by
 *   which a Node program can tell that this process is gone, kill -9 included (packages/server/src/cli/parent-process.ts)
 * @returns {Promise<number>} the child's exit code; 128 + n when signal n ended it
 * @throws {LaunchError} when the command cannot be started
 */
export async function runInForeground(command, args, { cwd, env = process.env, lifeline = false } = {}) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(lifeline ? ['ipc'] : [])]
  const child = spawn(command, args, { cwd, env, stdio })
  let deadline
  const release = onStop(signal => {
    child.kill(signal)
    deadline = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  })
  try {
    return await exitCodeOf(child)
  } catch (error) {
    throw new LaunchError(`${command} cannot be run: ${error.message}`)
  } finally {
    clearTimeout(deadline)
    release()
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

/**
 * Calls back, once, when this process is asked to stop: by a signal, or because npm or the shell between has gone
 * without passing one on (a shell that is killed tells its child nothing).
 *
 * @param {(signal: NodeJS.Signals) => void} callback
 * @returns {() => void} stops listening
 */
export function onStop(callback) {
  let asked = false
  const ask = signal => {
    if (asked) return
    asked = true
    callback(signal)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, ask)
  const watch = setInterval(() => isRunnerGone() && ask('SIGTERM'), WATCH_EVERY_MS)
  watch.unref()
  return () => {
    clearInterval(watch)
    for (const signal of STOP_SIGNALS) process.off(signal, ask)
  }
}

function isRunnerGone() {
  return runnerAtStart.some(({ of, parent }) => parentOf(of) !== parent)
}

/**
 * The links of the chain above us, when npm runs us: to our parent, and from the shell between to npm. Started any
 * other way we may be meant to outlive our parent.
 */
function runnerLinks() {
  if (process.env.npm_lifecycle_event === undefined) return []
  const parent = process.ppid
  const links = [{ of: process.pid, parent }]
  const grandparent = isNode(parent) ? null : parentOf(parent)
  if (grandparent !== null && isNode(grandparent)) links.push({ of: parent, parent: grandparent })
  return links
}

/** @param {number} pid @returns {boolean} whether such a process runs; one that is dead and only waits to be reaped does not */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  return statOf(pid)?.state !== 'Z'
}

/** Of another process known on Linux only; elsewhere /bin/sh becomes the command, so there is none between. */
function parentOf(pid) {
  return pid === process.pid ? process.ppid : (statOf(pid)?.parent ?? null)
}

function statOf(pid) {
  try {
    // "<pid> (<name>) <state> <parent> …", where the name may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}

function isNode(pid) {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('node')
  } catch {
    return false
  }
}
