import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const COMMAND = join(import.meta.dirname, '../../src/cli.ts')

function simulate(...args: string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, [COMMAND, ...args], { env, encoding: 'utf8' })
}

test('the result of several seeds does not depend on the number of processes', () => {
  const lines = ['1', '2'].map(jobs => {
    const { stdout } = simulate('--seed', '1', '--seeds', '8', '--jobs', jobs, '--json')
    return stdout.replace(/"secs":\d+/, '')
  })
  assert.equal(lines[0], lines[1])
  assert.match(lines[0]!, /"first":1,"seeds":8,/)
})

test('a seed tells its story and its digest', () => {
  const { stdout } = simulate('--seed', '3', '--no-shrink')
  assert.match(stdout, /process 1 +has started/)
  assert.match(stdout, /seed 3: \d+ steps, \d+ tasks, digest [0-9a-f]{16}/)
})

test('the list of faults names their actions', () => {
  const { stdout, status } = simulate('--faults', 'list')
  assert.match(stdout, /^process +crash and restart +a process dies at any moment and is started again$/m)
  assert.equal(status, 0)
})

test('wrong use exits with 2 and one line', () => {
  for (const args of [['--seed', 'x'], ['--unknown'], ['--plan', '/nonexistent/plan.json'], ['--kept', 'unknown']]) {
    const { stderr, stdout, status } = simulate(...args)
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.equal(stderr.trim().split('\n').length, 1)
  }
})
