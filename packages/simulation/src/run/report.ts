import type { Catalogue } from './catalogue.ts'
import type { Coverage } from './coverage.ts'

/** The summary of a run of many seeds, in readable lines. */
export function reportLines(coverage: Coverage, catalogue: Catalogue, first: number, secs: number): string[] {
  const { seeds, failures, simulatedSecs } = coverage
  const failed = [...failures.values()].reduce((sum, list) => sum + list.length, 0)
  return [
    ...faultLines(coverage, catalogue),
    ...transitionLines(coverage, catalogue),
    ...failureLines(coverage),
    '',
    `${count(seeds)} seeds from ${first} on in ${secs.toFixed(1)} s (${(seeds / secs).toFixed(1)} seeds/s), ` +
      `${count(Math.round(simulatedSecs / 3600))} simulated hours: ${failed === 0 ? 'every rule held' : `${count(failed)} failed`}`,
  ]
}

function faultLines({ actions }: Coverage, { faults }: Catalogue): string[] {
  const injected = faults.filter(({ name }) => actions.has(name))
  return [
    `Faults: seeds in which each took effect (${injected.length} of ${faults.length} injected)`,
    ...injected.map(({ name, fault }) => `${count(actions.get(name)!).padStart(9)}  ${name}: ${fault}`),
    ...faults.filter(({ name }) => !actions.has(name)).map(({ name, fault }) => `    never  ${name}: ${fault}`),
  ]
}

function transitionLines({ transitions }: Coverage, catalogue: Catalogue): string[] {
  const missing = catalogue.transitions.filter(transition => !transitions.has(transition))
  const taken = [...transitions].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    '',
    `State transitions: seeds in which each was taken (${taken.length} taken, ${missing.length} declared ones never)`,
    ...taken.map(([transition, seeds]) => `${count(seeds).padStart(9)}  ${transition}`),
    ...missing.map(transition => `    never  ${transition}`),
  ]
}

function failureLines({ failures }: Coverage): string[] {
  if (failures.size === 0) return []
  const byCount = [...failures].sort(([, a], [, b]) => b.length - a.length)
  return [
    '',
    'Failures by rule, with the first seeds',
    ...byCount.map(
      ([rule, failed]) =>
        `${count(failed.length).padStart(9)}  ${rule}: ${failed
          .slice(0, 8)
          .map(({ seed }) => seed)
          .join(' ')}`,
    ),
  ]
}

function count(value: number): string {
  return value.toLocaleString('en')
}
