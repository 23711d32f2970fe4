import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { untilGenesis, ZEBRAD, zebraMissing } from '../../../sandbox/test/recorded/zebra.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { startProgram } from '../harness/programs.ts'
import { openShell, replaceAll } from '../harness/shell.ts'
import { doctorLines } from './guide.ts'
import { beforeStart, followRegtest, MAINNET, skipCommands, until, ZEBRA } from './real-network-guide.ts'

const skip = skipCommands || zebraMissing

/**
 * Starts zebrad by the command of the page, with its file, and waits until its light-wallet server listens.
 * @param replace the ports that the reader would change
 */
async function startZebrad(
  t: TestContext,
  page: { readonly start: string; readonly file: string; readonly config: string },
  replace: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = temporaryFolder(stackOf(t))
  writeFileSync(join(folder, page.file), replaceAll(page.config, replace))
  mkdirSync(join(folder, 'bin'))
  symlinkSync(ZEBRAD, join(folder, 'bin/zebrad'))
  const env = { HOME: folder, XDG_CACHE_HOME: undefined, PATH: `${folder}/bin:${process.env.PATH}` }
  const zebra = startProgram(t, ['bash', '--norc', '-euc', page.start], { cwd: folder, env })
  const isReady = () => zebra.output().includes('Opened lightwalletd gRPC endpoint at ')
  await until('zebrad', () => isReady() || zebra.exitCode() !== null)
  assert.equal(zebra.exitCode(), null, zebra.output())
}

test('on a regtest of Zebra, the commands create an invoice, which coinbase outputs pay, as pasted', {
  skip,
}, async t => {
  const sandbox = await startSandbox()
  t.after(() => sandbox.close())
  const [rpcPort, grpcPort] = [await freePort(), await freePort()]
  await startZebrad(t, ZEBRA.regtest, { ':18232"': `:${rpcPort}"`, ':9067"': `:${grpcPort}"` })
  await untilGenesis(rpcPort)
  await followRegtest(t, { serverUrl: `http://127.0.0.1:${grpcPort}`, rpcPort, height: 0, sandbox })
})

test('the file for mainnet starts Zebra, and doctor says that it has no blocks yet', { skip }, async t => {
  const sandbox = await startSandbox()
  t.after(() => sandbox.close())
  const port = await freePort()
  // A test connects to no peers.
  const offline = 'network = "Mainnet"\nlisten_addr = "127.0.0.1:0"\ninitial_mainnet_peers = []'
  await startZebrad(t, ZEBRA.main, { 'network = "Mainnet"': offline, ':9067"': `:${port}"` })
  const shell = openShell(t, {
    folder: temporaryFolder(stackOf(t)),
    env: {
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      MAIL_FROM: 'pay@example.com',
      SMTP_URL: sandbox.smtpUrl,
    },
    replace: { 'http://127.0.0.1:9067': `http://127.0.0.1:${port}` },
  })
  const [source] = doctorLines(await shell.run(`${beforeStart(MAINNET).trim()} || true`)).filter(line =>
    / chain source /.test(line),
  )
  assert.match(source ?? '', /^WRONG .*no chain tip available yet/)
})
