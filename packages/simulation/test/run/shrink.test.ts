import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASS_TIME, type Step } from '../../src/run/plan.ts'
import { drawSetup, type Setup } from '../../src/run/setup.ts'
import { type FullPlan, shrink } from '../../src/run/shrink.ts'

const SETUP: Setup = {
  ...drawSetup(1, []),
  database: 'postgres',
  processes: 3,
  chainServers: 2,
  merchants: 2,
  switchRate: 0.3,
  punctuality: 0.6,
  confirmations: 3,
  height: 12,
  nu63Height: 15,
  nu7Height: 20,
  network: 'regtest',
  parts: ['swap', 'mail'],
}

function step(action: string, tasks: number | null = 3): Step {
  return { action, seed: 1, tasks }
}

const PLAN: FullPlan = {
  seed: 7,
  setup: SETUP,
  steps: ['pay', 'crash', 'start swap', PASS_TIME, 'send mail', 'pay', PASS_TIME, 'crash', 'pay'].map(name =>
    step(name),
  ),
}

/** Shrinks the plan as long as `fails` holds, with a bound of runs. */
async function shrunk(fails: (plan: FullPlan) => boolean, maxRuns = 1_000): Promise<{ plan: FullPlan; runs: number }> {
  let runs = 0
  const plan = await shrink(PLAN, {
    fails: async candidate => {
      runs += 1
      return fails(candidate)
    },
    partOf: action => ({ 'start swap': 'swap', 'send mail': 'mail' })[action],
    goesOn: () => runs < maxRuns,
  })
  return { plan, runs }
}

const names = ({ steps }: FullPlan) => steps.map(({ action }) => action)

test('only the steps and the setup that the failure needs are left', async () => {
  const { plan } = await shrunk(candidate => {
    const [first, ...rest] = names(candidate)
    return first === 'pay' && rest.includes('crash') && candidate.setup.processes >= 2
  })
  assert.deepEqual(plan.steps, [step('pay', null), step('crash', null)])
  assert.deepEqual(plan.setup, {
    ...SETUP,
    database: 'sqlite',
    processes: 2,
    chainServers: 1,
    merchants: 1,
    switchRate: 0,
    punctuality: 1,
    confirmations: 0,
    nu63Height: 0,
    nu7Height: null,
    network: 'test',
    parts: [],
  })
})

test('a part is left out together with its steps', async () => {
  const { plan } = await shrunk(({ setup, steps }) => setup.parts.includes('swap') && steps.length > 1)
  assert.deepEqual(plan.setup.parts, ['swap'])
  const { plan: alone } = await shrunk(candidate => names(candidate).includes('pay'))
  assert.deepEqual(alone.setup.parts, [])
})

test('a passage of time that the failure needs gets shorter', async () => {
  const { plan } = await shrunk(({ steps }) =>
    steps.some(({ action, secs }) => action === PASS_TIME && (secs ?? 100) >= 10),
  )
  assert.equal(plan.steps.length, 1)
  const [{ action, secs } = step('')] = plan.steps
  assert.equal(action, PASS_TIME)
  assert.ok(secs === undefined || secs === 10)
})

test('the number of runs is bounded, and the last plan that failed is kept', async () => {
  const { plan, runs } = await shrunk(({ steps }) => steps.length >= 4, 5)
  assert.equal(runs, 5)
  assert.ok(plan.steps.length >= 4 && plan.steps.length < 9)
})
