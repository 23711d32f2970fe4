import { describe } from 'node:test'
import { leftOut } from '../../../../zcash/test/left-out.ts'
import { recordingMissing } from '../../../../zcash/test/recording.ts'
import { lightwalletdMissing } from '../../recorded/real-lightwalletd.ts'
import { zebraMissing } from '../../recorded/zebra.ts'
import { blockSuite } from './blocks.ts'
import { mempoolSuite } from './mempool.ts'
import { nodeFailureSuite } from './node-failures.ts'
import { protocolSuite } from './protocol.ts'
import { startRealServer } from './real-server.ts'
import { startSandboxServer } from './sandbox-server.ts'
import type { StartServer } from './server-under-test.ts'
import { singleResponseSuite } from './single-responses.ts'
import { startZebraServer } from './zebra-server.ts'

function suite(start: StartServer): void {
  protocolSuite(start)
  blockSuite(start)
  singleResponseSuite(start)
  mempoolSuite(start)
  nodeFailureSuite(start)
}

describe('the sandbox', () => suite(startSandboxServer))

// It has no caches, and its messages are its own.
describe(
  'the light-wallet server of Zebra',
  { skip: recordingMissing || zebraMissing || leftOut('zebrad'), concurrency: 2 },
  () => protocolSuite(startZebraServer),
)

// The real server needs wall-clock time, so the groups wait concurrently.
describe('the real lightwalletd', { skip: recordingMissing || lightwalletdMissing, concurrency: 4 }, () =>
  suite(startRealServer),
)
