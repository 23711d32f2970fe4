import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { failsWith } from './assertions.ts'
import { closedAfterTests, type StartServer, UPGRADES } from './server-under-test.ts'

/** GetLightdInfo and the errors of GetTransaction, as lightwalletd responds. */
export function singleResponseSuite(start: StartServer): void {
  describe('single responses', { concurrency: 1 }, () => {
    const startAt = closedAfterTests(start)

    test('LightdInfo returns the server, its protocol, its node and the chain name of Zebra', async () => {
      const { client, height } = await startAt(30)
      const info = await client.getLightdInfo({})
      assert.deepEqual(
        [info.vendor, info.taddrSupport, info.lightwalletProtocolVersion, info.donationAddress],
        ['ECC LightWalletD', true, 'v0.5.0', ''],
      )
      assert.match(info.version, /^v\d+\.\d+\.\d+/)
      assert.deepEqual([info.chainName, info.saplingActivationHeight, info.blockHeight], ['test', 1n, BigInt(height)])
      assert.deepEqual([info.zcashdBuild, info.zcashdSubversion], ['v7.0.0', '/Zebra:7.0.0/'])
      assert.ok(info.estimatedHeight >= info.blockHeight)
    })

    test('LightdInfo returns the branch of the tip as 8 hexadecimal digits, and the next upgrade until it activates', async () => {
      const [nu62, nu63, nu7] = UPGRADES
      const server = await startAt(nu63!.height - 1)
      const branchAndUpgrade = async () => {
        const { consensusBranchId, upgradeName, upgradeHeight } = await server.client.getLightdInfo({})
        return [consensusBranchId, upgradeName, upgradeHeight]
      }
      assert.deepEqual(await branchAndUpgrade(), [nu62!.branchId, 'NU6.3', BigInt(nu63!.height)])
      await server.mine()
      assert.deepEqual(await branchAndUpgrade(), [nu63!.branchId, 'NU7', BigInt(nu7!.height)])
      while (server.height < nu7!.height - 1) await server.mine()
      assert.deepEqual(await branchAndUpgrade(), [nu63!.branchId, 'NU7', BigInt(nu7!.height)])
      await server.mine()
      assert.deepEqual(await branchAndUpgrade(), [nu7!.branchId, '', 0n])
    })

    test('GetTransaction rejects invalid txids and does not find unknown transactions', async () => {
      const { client } = await startAt(30)
      const hash = new Uint8Array(32).fill(1)
      const missing =
        /^GetTransaction: getrawtransaction (01){32} failed: -5: No such mempool or main chain transaction$/
      await failsWith(client.getTransaction({ hash }), Code.NotFound, missing)
      for (const length of [1, 31, 33])
        await failsWith(
          client.getTransaction({ hash: new Uint8Array(length) }),
          Code.InvalidArgument,
          new RegExp(`^GetTransaction: transaction ID has invalid length: ${length}$`),
        )
      await failsWith(client.getTransaction({}), Code.InvalidArgument, /^GetTransaction: specify a txid$/)
      await failsWith(
        client.getTransaction({ block: { height: 1n }, index: 0n }),
        Code.InvalidArgument,
        /^GetTransaction: specify a txid$/,
      )
      await failsWith(
        client.getTransaction({ block: { hash }, index: 0n }),
        Code.InvalidArgument,
        /^GetTransaction: specify a txid, not a blockhash\+num$/,
      )
    })
  })
}
