import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions, UsageError } from '../../src/cli/options.ts'

test('a seed alone is one run with its story', () => {
  assert.deepEqual(readOptions(['--seed', '17']), {
    command: 'one',
    seed: 17,
    shrinks: true,
    json: false,
    save: undefined,
  })
})

test('seeds and minutes are runs of many seeds', () => {
  const options = readOptions(['--seed', '17', '--seeds', '1000', '--jobs', '2', '--stop', '--json', '--no-shrink'])
  assert.deepEqual(options, {
    command: 'many',
    first: 17,
    seeds: 1_000,
    minutes: null,
    jobs: 2,
    needs: [],
    stops: true,
    shrinks: false,
    json: true,
    save: undefined,
  })
  const some = readOptions(['--seeds', '9', '--with', 'swap,postgres'])
  assert.deepEqual(some.command === 'many' && some.needs, ['swap', 'postgres'])
  const timed = readOptions(['--seed', '5', '--minutes', '10'])
  assert.ok(timed.command === 'many' && timed.first === 5 && timed.seeds === null && timed.minutes === 10)
})

test('evidence takes the seeds, the parts of mutants and whether to resume', () => {
  assert.deepEqual(
    readOptions(['--evidence', '--seed', '1', '--seeds', '40', '--jobs', '1', '--mutants', 'clocks', '--resume']),
    {
      command: 'evidence',
      first: 1,
      seeds: 40,
      jobs: 1,
      mutants: ['clocks'],
      resumes: true,
    },
  )
})

test('without a seed the runs begin at a new one, and last a minute', () => {
  const options = readOptions([])
  assert.ok(options.command === 'many' && options.minutes === 1)
  assert.ok(options.first >= 1_000_000_000_000 && options.first < 2 ** 48)
})

test('wrong use is refused with one line that names the argument', () => {
  for (const [args, named] of [
    [['--seed', 'x'], '--seed'],
    [['--seed', '-1'], '--seed'],
    [['--seeds', '0'], '--seeds'],
    [['--minutes', '1.5'], '--minutes'],
    [['--jobs', '0'], '--jobs'],
    [['--faults', 'all'], '--faults'],
    [['--unknown'], '--unknown'],
    [['17'], '17'],
  ] as const)
    assert.throws(
      () => readOptions(args),
      (error: Error) => error instanceof UsageError && error.message.includes(named) && !error.message.includes('\n'),
      args.join(' '),
    )
})
