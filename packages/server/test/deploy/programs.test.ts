import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { missingProgram } from '../harness/programs.ts'
import { composeFiles } from './compose.ts'
import { deployPath, deployText } from './files.ts'

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

const HELM_VALUES = [deployPath('helm/zatgate'), '--values', deployPath('helm/values.test.yaml')]

/** Every part of the chart, as Kubernetes receives it. */
function renderChart(): string {
  return run('helm', ['template', 'shop', ...HELM_VALUES, '--kube-version', '1.30.0'])
}

/** Runs a check on a text in a file. */
function withFile(name: string, text: string, check: (file: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-deploy-'))
  try {
    writeFileSync(join(folder, name), text)
    check(join(folder, name))
  } finally {
    rmSync(folder, { recursive: true })
  }
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
  withFile(
    'zatgate.service',
    deployText('systemd/zatgate.service').replace('/usr/bin/node', process.execPath),
    unit => {
      run('systemd-analyze', ['verify', '--man=no', unit])
      run('systemd-analyze', ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit])
    },
  )
})

testWith('systemd-analyze', 'the backup timer and its unit are valid', () => {
  const units = ['zatgate-backup.service', 'zatgate-backup.timer'].map(name => deployPath(`systemd/${name}`))
  run('systemd-analyze', ['verify', '--man=no', ...units])
  run('systemd-analyze', ['calendar', 'daily'])
})

test('the systemd unit is started again however often it has failed', () => {
  const unit = deployText('systemd/zatgate.service')
  assert.match(unit, /^StartLimitIntervalSec=0$/m)
  assert.match(unit, /^Restart=on-failure$/m)
})

testWith('helm', 'Helm accepts the chart and renders every part of it', () => {
  run('helm', ['lint', '--strict', ...HELM_VALUES])
  const manifests = parseAllDocuments(renderChart()).map(document => {
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

testWith('helm', 'Helm writes every number as the service and Kubernetes read it', () => {
  const values = `
settings:
  RATE_LIMIT: 1000000
  MAX_WEBSOCKETS: 1234567
  MAX_WATCHED_KEYS: 0
  REGTEST_NU7_HEIGHT: 21000000
  LATE_WATCH_DAYS: 0.5
  WEBHOOK_ALLOW_PRIVATE: true
  CONFIRMATIONS: "1000000"
existingSecret: 1000000
image: { tag: 20261126 }
startupSeconds: 2000000
service: { port: 1000000 }
api: { replicas: 1000000, autoscaling: { enabled: true, minReplicas: 1000000, maxReplicas: 2000000, targetCPUUtilizationPercentage: 1000000 } }
delivery: { replicas: 1000000 }
networkPolicy: { ingressNamespace: 1000000, monitoringNamespace: 2000000 }
ingress: { tlsSecret: 3000000 }
`
  withFile('values.yaml', values, file => {
    const text = run('helm', ['template', 'shop', ...HELM_VALUES, '--values', file, '--kube-version', '1.30.0'])
    assert.doesNotMatch(text, /\de\+\d/)
    const manifests = parseAllDocuments(text).map(document => document.toJS())
    const of = (kind: string, name: string) =>
      manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === name)
    const [container] = of('Deployment', 'shop-delivery').spec.template.spec.containers
    const env = Object.fromEntries(
      container.env.map((item: { name: string; value: string }) => [item.name, item.value]),
    )
    assert.deepEqual(
      ['RATE_LIMIT', 'MAX_WEBSOCKETS', 'MAX_WATCHED_KEYS', 'REGTEST_NU7_HEIGHT', 'LATE_WATCH_DAYS'].map(
        name => env[name],
      ),
      ['1000000', '1234567', '0', '21000000', '0.5'],
    )
    assert.deepEqual([env.WEBHOOK_ALLOW_PRIVATE, env.CONFIRMATIONS], ['true', '1000000'])
    assert.equal(container.image, 'zatgate:20261126')
    const { periodSeconds, failureThreshold } = container.startupProbe
    assert.equal(periodSeconds * failureThreshold, 2_000_000)
    assert.equal(of('Deployment', 'shop-delivery').spec.template.spec.volumes[2].secret.secretName, '1000000')
    assert.equal(of('Deployment', 'shop-delivery').spec.replicas, 1_000_000)
    assert.equal(of('Service', 'shop').spec.ports[0].port, 1_000_000)
    const { minReplicas, maxReplicas } = of('HorizontalPodAutoscaler', 'shop-api').spec
    assert.deepEqual([minReplicas, maxReplicas], [1_000_000, 2_000_000])
    assert.equal(of('Ingress', 'shop').spec.tls[0].secretName, '3000000')
  })
})

testWith('helm', 'Helm enables no ingress without the addresses of its controller', () => {
  const args = ['template', 'shop', ...HELM_VALUES, '--kube-version', '1.30.0', '--set', 'settings.TRUST_PROXY=null']
  assert.throws(() => run('helm', args), /ingress needs settings\.TRUST_PROXY/)
})

const skipKubernetes = missingProgram('helm') || missingProgram('kubernetes-validate')

test('the chart agrees with the schemas of the oldest supported and the newest Kubernetes', {
  skip: skipKubernetes,
}, () => {
  // The schema of a ServiceMonitor comes with the operator of Prometheus.
  const [monitor, ...others] = renderChart()
    .split(/^---$/m)
    .sort((a, b) => kindRank(a) - kindRank(b))
  assert.match(monitor ?? '', /^kind: ServiceMonitor$/m)
  withFile('chart.yaml', others.join('---'), file => {
    for (const version of ['1.27', '1.37']) run('kubernetes-validate', ['-k', version, '--strict', file])
    withFile('wrong.yaml', others.join('---').replaceAll('replicas: 1', 'replica: 1'), wrong => {
      assert.throws(() => run('kubernetes-validate', ['-k', '1.37', '--strict', wrong]), /replica/)
    })
  })
})

const kindRank = (text: string) => Number(!/^kind: ServiceMonitor$/m.test(text))

testWith('hadolint', 'hadolint has nothing to say about the Dockerfile', () => {
  run('hadolint', ['--failure-threshold', 'style', deployPath('docker/Dockerfile')])
})

for (const { name, text } of composeFiles())
  testWith('compose-go', `${name} agrees with the Compose specification`, () => {
    withFile('compose.yaml', text, file => {
      const loaded = parse(run('compose-go', [file]))
      assert.deepEqual(Object.keys(loaded.services).sort(), Object.keys(parse(text, { merge: true }).services).sort())
    })
    withFile('compose.yaml', text.replace('restart:', 'restarts:'), wrong => {
      assert.throws(() => run('compose-go', [wrong]), /restarts/)
    })
  })
