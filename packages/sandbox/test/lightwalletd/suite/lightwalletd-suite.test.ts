import { describe } from 'node:test'
import { recordingMissing } from '../../../../zcash/test/recording.ts'
import { lightwalletdMissing } from '../../recorded/real-lightwalletd.ts'
import { blockSuite } from './blocks.ts'
import { mempoolSuite } from './mempool.ts'
import { nodeFailureSuite } from './node-failures.ts'
import { startRealServer } from './real-server.ts'
import { startSandboxServer } from './sandbox-server.ts'
import type { StartServer } from './server-under-test.ts'
import { singleResponseSuite } from './single-responses.ts'

function suite(start: StartServer): void {
  blockSuite(start)
  singleResponseSuite(start)
  mempoolSuite(start)
  nodeFailureSuite(start)
}

describe('the sandbox', () => suite(startSandboxServer))

// The real server needs wall-clock time, so the groups wait concurrently.
describe('the real lightwalletd', { skip: recordingMissing || lightwalletdMissing, concurrency: 4 }, () =>
  suite(startRealServer),
)
