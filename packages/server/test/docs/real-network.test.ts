import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Chain } from '@zatgate/sandbox/chain/chain'
import type { Wallet } from '@zatgate/sandbox/chain/wallet'
import { listen } from '@zatgate/sandbox/http/listen'
import { Mailbox } from '@zatgate/sandbox/mail/mailbox'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { lightwalletdMissing } from '../../../sandbox/test/recorded/real-lightwalletd.ts'
import { startRecordedNode } from '../../../sandbox/test/recorded/recorded-node.ts'
import { loadRecording, recordingMissing } from '../../../zcash/test/recording.ts'
import { consensusParams } from '../../src/domain/chain/network-upgrade.ts'
import { checkSettings, settingsOf } from '../deploy/checked-settings.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { missingProgram, startProgram } from '../harness/programs.ts'
import { startSandboxService } from '../harness/service.ts'
import { openShell } from '../harness/shell.ts'
import { signIn } from '../web/visit.ts'
import { checkSyntax } from './guide.ts'
import {
  beforeStart,
  COINBASE_ZAT,
  doctor,
  EMAIL,
  followRegtest,
  GUIDE,
  LIGHTWALLETD,
  MAIL_SERVER,
  MAINNET,
  NOT_SET,
  REGTEST,
  skipCommands as skip,
  until,
  WARNINGS,
  ZEBRA,
} from './real-network-guide.ts'

const venv = process.env.ZATGATE_TEST_PYTHON_VENV || '/nonexistent'
const hasToml = spawnSync('python3', ['-c', 'import tomllib']).status === 0
const skipToml = !hasToml && process.env.CI !== 'true' && 'python3 3.11 is not installed'

/**
 * The RPC of a Zebra: each block that it mines to an address has a note there, as in its coinbase.
 * @returns its port
 */
async function startMiner(t: TestContext, chain: Chain, wallet: Wallet): Promise<number> {
  const server = createServer(async (request, response) => {
    const call = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const { jsonrpc, id, method, params } = call
    const [count, address, ...others] = params
    const isKnown = jsonrpc === '2.0' && method === 'generatetoaddress' && others.length === 0
    if (request.headers['content-type'] !== 'application/json' || !isKnown) return response.writeHead(400).end()
    for (let mined = 0; mined < count; mined++) {
      wallet.pay({ uri: `zcash:${address}`, amount: BigInt(COINBASE_ZAT) })
      chain.mine()
    }
    response.end(JSON.stringify({ jsonrpc, id, result: Array(count).fill('hash') }))
  })
  t.after(() => server.close())
  return listen(server, 0)
}

test('on a simulated regtest, the commands create an invoice, which coinbase outputs pay, as pasted', {
  skip,
}, async t => {
  const sandbox = await startSandbox({ nu63Height: 2, nu7Height: null })
  t.after(() => sandbox.close())
  const { chain, wallet, lightwalletdUrl } = sandbox
  chain.mine()
  const rpcPort = await startMiner(t, chain, wallet)
  await followRegtest(t, { serverUrl: lightwalletdUrl, rpcPort, height: 2, sandbox })
})

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(() => true)
    .catch(() => false)
    .finally(() => socket.destroy())
}

test('the mail server of the page prints the code of a sign-in', {
  skip: missingProgram(join(venv, 'bin/aiosmtpd')) && 'set ZATGATE_TEST_PYTHON_VENV for the mail server',
}, async t => {
  const port = await freePort()
  const service = await startSandboxService({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
  t.after(() => service.close())
  // The environment with aiosmtpd stands for the one that the commands would create and download.
  const python = `python3() { ln -s '${venv}' "$3"; }\n`
  const commands = `${python}${MAIL_SERVER.replace('127.0.0.1:1025', `127.0.0.1:${port}`)}`
  const cwd = temporaryFolder(stackOf(t))
  const { output, exitCode } = startProgram(t, ['bash', '--norc', '-euc', commands], {
    cwd,
    env: { PIP_NO_INDEX: '1' },
  })
  await until('the mail server', async () => (await accepts(port)) || exitCode() !== null)
  assert.equal(exitCode(), null, output())
  const code = () => /^Your zatgate sign-in code is (\d{6})$/m.exec(output())?.[1]
  assert.match(await signIn(service, EMAIL, () => until('the code', code)), /zatgate/)
  assert.match(output(), new RegExp(`^To: ${EMAIL}$`, 'm'))
})

test('the command for lightwalletd starts it with the file of the page, and zatgate reads the recorded chain from it', {
  skip: skip || recordingMissing || lightwalletdMissing,
}, async t => {
  const recording = loadRecording()
  for (const { coinbase, value_zat } of recording.payments) if (coinbase) assert.equal(value_zat, COINBASE_ZAT)
  const [node, mailbox] = [await startRecordedNode(), await Mailbox.start()]
  t.after(() => Promise.all([node.close(), mailbox.close()]))
  await node.setTip(recording.blocks.length - 1)
  await node.setMempool([recording.transactions.at(-1)?.txid ?? ''])
  const folder = temporaryFolder(stackOf(t))
  writeFileSync(join(folder, 'zcash.conf'), LIGHTWALLETD.config.replace('18232', String(node.rpcPort)))
  mkdirSync(join(folder, 'bin'))
  symlinkSync(process.env.LIGHTWALLETD_BIN ?? '', join(folder, 'bin/lightwalletd'))

  const [grpc, http] = [await freePort(), await freePort()]
  const start = LIGHTWALLETD.start.replace('127.0.0.1:9068', `127.0.0.1:${grpc}`)
  const env = { PATH: `${folder}/bin:${process.env.PATH}` }
  const server = startProgram(t, ['bash', '--norc', '-euc', start.replace('127.0.0.1:9069', `127.0.0.1:${http}`)], {
    cwd: folder,
    env,
  })
  const log = () => readFileSync(join(folder, 'lightwalletd.log'), { encoding: 'utf8', flag: 'a+' })
  await until('lightwalletd', () => log().includes('Waiting for block') || server.exitCode() !== null)
  assert.equal(server.exitCode(), null, `${server.output()}${log()}`)

  const { 'NU6.3': nu63 = 0, NU7: nu7 = 0 } = recording.activation_heights
  const shell = openShell(t, {
    folder,
    env: { REGTEST_NU7_HEIGHT: String(nu7) },
    replace: {
      'REGTEST_NU63_HEIGHT=2': `REGTEST_NU63_HEIGHT=${nu63}`,
      'smtp://127.0.0.1:1025': mailbox.url,
      'http://127.0.0.1:9068': `http://127.0.0.1:${grpc}`,
    },
  })
  await shell.run(REGTEST.settings.replace('npx zatgate doctor', ''))
  assert.deepEqual(doctor(await shell.run(beforeStart(LIGHTWALLETD.connect))), [
    'ok       settings: network regtest',
    ...WARNINGS,
    `ok       chain source 127.0.0.1:${grpc}: at height ${recording.blocks.length - 1}`,
    `ok       mempool 127.0.0.1:${grpc}: 1 transaction`,
    'skipped  clock: regtest block times are arbitrary',
    'ok       mail: 127.0.0.1 responds',
    ...NOT_SET,
  ])
  assert.equal(server.exitCode(), null)
})

test('the settings for mainnet are valid, and with NETWORK=test doctor warns of a Zebra that is syncing', {
  skip,
}, async t => {
  const sandbox = await startSandbox({ network: 'test' })
  t.after(() => sandbox.close())
  sandbox.chain.mine(12)
  await sandbox.lightwalletd.setFaults({ estimatedHeight: 4_000_000 })
  const folder = temporaryFolder(stackOf(t))
  const secrets = { ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'), MAIL_FROM: 'pay@example.com' }
  const env = { ...secrets, SMTP_URL: sandbox.smtpUrl }
  const main = openShell(t, { folder, env })
  await main.run(beforeStart(MAINNET).replace('npx zatgate doctor', ''))
  assert.equal(checkSettings(await settingsOf(main), folder).network, 'main')

  const replace = { 'NETWORK=main': 'NETWORK=test', 'http://127.0.0.1:9067': sandbox.lightwalletdUrl }
  const output = await openShell(t, { folder, env, replace }).run(beforeStart(MAINNET))
  assert.match(output, /^ok {7}settings: network test$/m)
  assert.match(output, new RegExp(`^WARNING {2}chain source .*\\b${4_000_000 - sandbox.chain.height}\\b.* blocks`, 'm'))
})

/** The value of a TOML text, by the parser of Python. */
function parseToml(text: string) {
  const program = 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))'
  return JSON.parse(execFileSync('python3', ['-c', program], { input: text, encoding: 'utf8' }))
}

test("Zebra's configurations agree with the commands of the page", { skip: skipToml }, () => {
  const regtest = parseToml(ZEBRA.regtest.config)
  assert.deepEqual(regtest.network.network, 'Regtest')
  const { activation_heights: heights } = regtest.network.testnet_parameters
  const known = consensusParams('main').upgrades.map(({ name }) => name)
  assert.deepEqual(
    Object.keys(heights).filter(name => !known.includes(name)),
    [],
  )
  assert.match(REGTEST.settings, new RegExp(` REGTEST_NU63_HEIGHT=${heights['NU6.3']}$`, 'm'))
  assert.ok(!('NU7' in heights) && !REGTEST.settings.includes('REGTEST_NU7_HEIGHT'))
  const { rpc } = regtest
  assert.ok(REGTEST.settings.includes(` LIGHTWALLETD_URL=http://${rpc.lightwalletd_listen_addr} `))
  assert.ok(REGTEST.pay.includes(`curl -s http://${rpc.listen_addr} `))
  const conf = Object.fromEntries([...LIGHTWALLETD.config.matchAll(/^(\w+)=(.*)$/gm)].map(([, k = '', v]) => [k, v]))
  assert.equal(`${conf.rpcbind}:${conf.rpcport}`, rpc.listen_addr)
  assert.equal(rpc.enable_cookie_auth, false)
  const [, grpc = ''] = / --grpc-bind-addr (\S+)/.exec(LIGHTWALLETD.start) ?? []
  assert.ok(LIGHTWALLETD.connect.includes(` LIGHTWALLETD_URL=http://${grpc}\n`))
  assert.ok(!Object.values(rpc).includes(grpc))
  const [, smtp = ''] = / -l (\S+)$/m.exec(MAIL_SERVER) ?? []
  assert.ok(REGTEST.settings.includes(` SMTP_URL=smtp://${smtp} `))

  const main = parseToml(ZEBRA.main.config)
  assert.equal(main.network.network, 'Mainnet')
  assert.ok(MAINNET.includes(` LIGHTWALLETD_URL=http://${main.rpc.lightwalletd_listen_addr}\n`))
})

test('the commands for Zebra name one version and the files of the page', () => {
  for (const { start, file } of [ZEBRA.regtest, ZEBRA.main]) assert.equal(start, `zebrad -c ${file} start\n`)
  checkSyntax(ZEBRA.install)
  const versions = [...ZEBRA.install.matchAll(/^.*(?:zebrad@|zfnd\/zebra:)(\d+\.\d+\.\d+)\b.*$/gm)]
  assert.equal(versions.length, ZEBRA.install.trim().split('\n').length)
  for (const [line, version] of versions) assert.equal(version, versions[0]?.[1], line)
  assert.ok(GUIDE.text.includes(`(Zebra ${versions[0]?.[1]?.split('.')[0]}, `))
})

test('its table has the heights of the network upgrade that the service expects', () => {
  const rows = [...GUIDE.text.matchAll(/^\| (NU\S+) \| ([\d,]+) \| ([\d,]+) \|$/gm)]
  assert.equal(rows.length, 1)
  for (const [, name, ...heights] of rows)
    assert.deepEqual(
      heights.map(height => Number(height.replaceAll(',', ''))),
      (['main', 'test'] as const).map(
        network => consensusParams(network).upgrades.find(upgrade => upgrade.name === name)?.height,
      ),
    )
})
