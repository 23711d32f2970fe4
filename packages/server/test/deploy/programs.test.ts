import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { missingProgram } from '../harness/programs.ts'
import { deployPath } from './files.ts'

/** The overall exposure that systemd-analyze computes, in tenths: 0 is best, 100 worst. */
const MAX_EXPOSURE = 15

/** Runs a program and returns its output. @throws when it fails */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** Registers a test that needs a program. Without it the test is skipped, but in CI it fails. */
function testWith(program: string, name: string, body: () => void): void {
  test(name, { skip: missingProgram(program) }, body)
}

testWith('promtool', 'promtool accepts the alerts, and they are raised when they should be', () => {
  run('promtool', ['check', 'rules', deployPath('prometheus/alerts.yml')])
  run('promtool', ['test', 'rules', deployPath('prometheus/alerts.test.yml')])
})

testWith('promtool', 'promtool accepts the example configuration', () => {
  run('promtool', ['check', 'config', '--syntax-only', deployPath('prometheus/prometheus.yml')])
})

testWith('caddy', 'Caddy accepts its configuration', () => {
  const args = ['validate', '--adapter', 'caddyfile', '--config', deployPath('compose/Caddyfile')]
  run('caddy', args, { DOMAIN: 'pay.example.com', HOME: tmpdir() })
})

testWith('systemd-analyze', 'the systemd unit is valid and confines the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-unit-'))
  try {
    const unit = join(folder, 'zatgate.service')
    copyFileSync(deployPath('systemd/zatgate.service'), unit)
    const security = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit]
    run('systemd-analyze', security)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

testWith('helm', 'Helm accepts the chart and renders every part of it', () => {
  const args = [deployPath('helm/zatgate'), '--values', deployPath('helm/values.test.yaml')]
  run('helm', ['lint', '--strict', ...args])
  const rendered = run('helm', ['template', 'shop', ...args, '--kube-version', '1.30.0'])
  const manifests = parseAllDocuments(rendered).map(document => {
    assert.deepEqual(document.errors, [])
    return document.toJS()
  })
  const kinds = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  assert.deepEqual(kinds, [
    'Deployment shop-api',
    'Deployment shop-delivery',
    'Deployment shop-watcher',
    'HorizontalPodAutoscaler shop-api',
    'Ingress shop',
    'NetworkPolicy shop',
    'PodDisruptionBudget shop-api',
    'PodDisruptionBudget shop-delivery',
    'PodDisruptionBudget shop-watcher',
    'Service shop',
    'Service shop-metrics',
    'ServiceMonitor shop',
  ])
  for (const { kind, metadata, spec } of manifests) {
    if (kind !== 'Deployment') continue
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels)
    const { securityContext, containers } = spec.template.spec
    assert.equal(securityContext.runAsNonRoot, true)
    assert.equal(containers[0].securityContext.readOnlyRootFilesystem, true)
    if (metadata.name === 'shop-watcher') assert.deepEqual([spec.replicas, spec.strategy.type], [1, 'Recreate'])
  }
})
