import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { constants } from 'node:os'
import { basename } from 'node:path'
import { LaunchError } from './fail.mjs'

/** A child that has not stopped this long after a stop signal is killed. */
const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 250
/** SIGHUP is not handled: its default action ends this process, and the child detects that. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM']

const linksAtStart = runnerLinks()

/**
 * Runs a command in the foreground and stops it when this process is asked to stop. Both share a process group, so the
 * child receives Ctrl-C twice, from the terminal and from this process, and must treat the second signal as a repeat.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, lifeline?: boolean }} [options] `lifeline` opens an IPC channel
 *   from which a Node child detects that this process has ended, even by kill -9 (packages/server/src/cli/parent-process.ts)
 * @returns {Promise<number>} the child's exit code, or 128 + n if signal n ended it
 * @throws {LaunchError} when the command cannot be started
 */
export async function runInForeground(command, args, { cwd, env = process.env, lifeline = false } = {}) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(lifeline ? ['ipc'] : [])]
  const child = spawn(command, args, { cwd, env, stdio })
  let killTimer
  const release = onStop(signal => {
    child.kill(signal)
    killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  })
  try {
    return await exitCodeOf(child)
  } catch (error) {
    throw new LaunchError(`${command} cannot be started: ${error.message}`)
  } finally {
    clearTimeout(killTimer)
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
 * Calls back once when this process is asked to stop: by a signal, or because npm or the shell that started it has ended
 * without forwarding a signal (a killed shell does not signal its child).
 *
 * @param {(signal: NodeJS.Signals) => void} callback
 * @returns {() => void} stops listening
 */
export function onStop(callback) {
  let isRequested = false
  const request = signal => {
    if (isRequested) return
    isRequested = true
    callback(signal)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, request)
  const timer = setInterval(() => hasRunnerEnded() && request('SIGTERM'), POLL_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    for (const signal of STOP_SIGNALS) process.off(signal, request)
  }
}

function hasRunnerEnded() {
  return linksAtStart.some(({ pid, parent }) => parentOf(pid) !== parent)
}

/**
 * The child-parent links above this process when npm started it: to its parent, and from an intermediate shell to npm.
 * Empty otherwise, because a process started another way may be meant to outlive its parent.
 */
function runnerLinks() {
  if (process.env.npm_lifecycle_event === undefined) return []
  const parent = process.ppid
  const links = [{ pid: process.pid, parent }]
  const grandparent = isNode(parent) ? null : parentOf(parent)
  if (grandparent !== null && isNode(grandparent)) links.push({ pid: parent, parent: grandparent })
  return links
}

/** @param {number} pid @returns {boolean} whether the process is running; a zombie is not */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  return statOf(pid)?.state !== 'Z'
}

/** The parent's process id; of other processes only on Linux. Elsewhere /bin/sh replaces itself with the command. */
function parentOf(pid) {
  return pid === process.pid ? process.ppid : (statOf(pid)?.parent ?? null)
}

function statOf(pid) {
  try {
    // "<pid> (<name>) <state> <parent> …", where the name may contain any character.
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
