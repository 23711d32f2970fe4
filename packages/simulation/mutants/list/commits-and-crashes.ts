import type { Change } from '../mutant.ts'

export const COMMITS_AND_CRASHES: readonly Change[] = [
  {
    name: 'in a batch, a use case that writes and then fails keeps its change',
    file: 'store/batching/write-batch.ts',
    in: 'run',
    find: "error.kind !== 'unavailable' && !changed",
    replace: "error.kind !== 'unavailable'",
    killedBy: {
      file: 'store/sqlite/store.test.ts',
      test: 'a batched write that is rejected after a change undoes only its own change',
    },
    needs: ['sqlite'],
    withinSeeds: 1_000,
  },
  {
    name: 'callers of a shared commit are answered before the commit',
    file: 'store/batching/group-commit.ts',
    in: 'commit',
    find: 'await batch.commit(topics)',
    replace: `for (const complete of completions.splice(0)) complete()
      await batch.commit(topics)`,
    needs: ['sqlite'],
    withinSeeds: 500,
  },
  {
    name: 'a write whose commit has an unknown outcome is run again',
    file: 'store/postgres/error.ts',
    in: 'isTransient',
    find: 'return code === SERIALIZATION_FAILURE',
    replace: 'return isTemporary(error) || code === SERIALIZATION_FAILURE',
    withinSeeds: 1_000,
  },
  {
    name: 'on PostgreSQL a use case that has timed out goes on after its rollback',
    file: 'store/postgres/transactions.ts',
    in: 'write',
    find: `}).finally(
          // Before the rollback: after a timeout the use case still runs, and its next statement must not follow it.
          () => transaction.end(),
        )
        client.release(false)
        onCommitted(transaction.topics)
        return result
      } catch (error) {
        // After a timeout the use case may still use the connection.
        if (spoilsConnection(error) || isTimeout(error)) client.release(true)
        else await rollback(client)
        throw error
      }`,
    replace: `})
        client.release(false)
        onCommitted(transaction.topics)
        return result
      } catch (error) {
        if (spoilsConnection(error)) client.release(true)
        else await rollback(client)
        throw error
      } finally {
        transaction.end()
      }`,
    needs: ['postgres', 'webhook'],
    withinSeeds: 10_000,
  },
  {
    name: 'after the rollback of its first write, a batch on PostgreSQL goes on outside a transaction',
    file: 'store/postgres/batches.ts',
    in: 'rollbackToSavepoint',
    find: "if (!inSavepoint) this.#open = 'nothing'",
    replace: '',
    killedBy: {
      file: 'store/postgres/store.test.ts',
      test: 'wherever the failing ones of a batch are',
      needsPostgres: true,
    },
  },
]
