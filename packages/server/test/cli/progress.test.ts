import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress, describeProgress, formatDuration } from '../../src/cli/progress.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const CLEAR = '\r\u001b[K'

function harness(terminal: { columns?: number } | null = { columns: 80 }, label = 'rescan') {
  const clock = new ManualClock()
  const written: string[] = []
  const printed: string[] = []
  const progress = createProgress({
    label,
    unit: 'blocks',
    clock,
    terminal: terminal && { ...terminal, write: text => written.push(text) },
    print: line => printed.push(line),
  })
  return { clock, progress, written, printed, advance: (ms: number) => clock.advanceMs(ms) }
}

test('a terminal shows one line that is rewritten at most ten times a second and cleared at the end', () => {
  const { progress, written, printed, advance } = harness()
  for (let done = 0; done <= 100; done++) {
    progress.update(done, 1_000)
    advance(25)
  }
  progress.end()
  progress.end()
  const [first] = written
  assert.equal(first, `${CLEAR}rescan: 0% (0 of 1,000 blocks)`)
  assert.equal(written.length, 26 + 1)
  assert.ok(written.every(text => text.startsWith(CLEAR)))
  assert.equal(written.at(-1), CLEAR)
  assert.equal(written.at(-2), `${CLEAR}rescan: 10%, 23 s left (100 of 1,000 blocks, 40 a second)`)
  assert.deepEqual(printed, [])
})

test('without a terminal a line is printed every ten seconds, and nothing for work that ends sooner', () => {
  const { progress, written, printed, advance } = harness(null)
  for (let secs = 0; secs <= 25; secs++) {
    progress.update(secs * 2, 6_000)
    if (secs === 9) assert.deepEqual(printed, [])
    advance(1_000)
  }
  progress.end()
  assert.deepEqual(printed, [
    'rescan: 0%, 50 min left (20 of 6,000 blocks, 2 a second)',
    'rescan: 0%, 50 min left (40 of 6,000 blocks, 2 a second)',
  ])
  assert.deepEqual(written, [])
})

test('the rate is that of the last ten seconds', () => {
  const { progress, written, advance } = harness()
  let done = 0
  for (let secs = 0; secs < 60; secs++) {
    progress.update(done, 100_000)
    done += secs < 30 ? 1_000 : 10
    advance(1_000)
  }
  assert.match(written.at(-1) ?? '', /, 10 a second\)$/)
})

test('a line never fills the terminal, and one without a known width has 79 characters', () => {
  for (const columns of [1, 10, 40, 80, undefined]) {
    const { progress, written } = harness(columns === undefined ? {} : { columns }, 'an operation '.repeat(8))
    progress.update(123_456, 999_999_999_999)
    const shown = (written[0] ?? '').slice(CLEAR.length)
    assert.ok(shown.length < (columns ?? 80) || shown === '…', `${columns}: ${shown.length}`)
    assert.match(shown, /…$/)
  }
})

test('a clock that is set back and work that begins again give no negative rate', () => {
  const { progress, written, clock, advance } = harness()
  progress.update(500, 1_000)
  advance(5_000)
  progress.update(600, 1_000)
  clock.advance(-3_600)
  progress.update(700, 1_000)
  advance(2_000)
  progress.update(10, 1_000)
  advance(2_000)
  progress.update(30, 1_000)
  assert.equal(written.at(-1), `${CLEAR}rescan: 3%, 2 min left (30 of 1,000 blocks, 10 a second)`)
  assert.ok(written.every(text => !/-|NaN|Infinity/.test(text)))
})

test('the description claims only what is known', () => {
  for (const [done, total, perSecond, expected] of [
    [0, 0, null, '0 blocks'],
    [5, null, 2, '5 blocks, 2 a second'],
    [12, 10, 2, '12 blocks, 2 a second'],
    [10, 10, 2, '100% (10 of 10 blocks, 2 a second)'],
    [999, 1_000, 0.25, '99%, 4 s left (999 of 1,000 blocks, 1 a second)'],
  ] as const)
    assert.equal(describeProgress(done, total, perSecond, 'blocks'), expected)
  assert.equal(
    describeProgress(34_500_000, 120_000_000, 45_000_000, 'bytes'),
    '28%, 2 s left (34.5 of 120.0 MB, 45.0 MB a second)',
  )
})

test('times are in words, rounded up', () => {
  const words = [0, 0.2, 59.1, 60, 61, 3_599, 3_600, 7_500, 172_000, 172_801, 864_000].map(formatDuration)
  assert.deepEqual(words, [
    '1 s',
    '1 s',
    '1 min',
    '1 min',
    '2 min',
    '1 h',
    '1 h',
    '2 h 5 min',
    '47 h 47 min',
    '3 days',
    '10 days',
  ])
})
