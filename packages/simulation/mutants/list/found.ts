import type { Mutant } from '../mutant.ts'

/** The faults that the simulation itself has found in the service, put back. */
export const FOUND_MUTANTS: readonly Mutant[] = [
  {
    name: 'an absence that a clock far ahead has recorded lasts until then',
    theme: 'clocks',
    file: 'services/payment.ts',
    find: 'return missing && missing.since <= now && wasMissing(payment) ? missing : null',
    replace: 'return wasMissing(payment) ? missing : null',
    withinSeeds: 2_000,
  },
  {
    name: 'the times of a swap are those of the clock, also while it differs from the chain by hours',
    theme: 'swaps',
    file: 'services/swap-status.ts',
    find: 'const { tip, bounds } = await checkClock(tx, params, now)',
    replace: 'const { tip } = await checkClock(tx, params, now)\n    const bounds = { earliest: now, latest: now }',
    needs: ['swap'],
    withinSeeds: 5_000,
  },
  {
    name: 'a swap start that the provider was asked for is not counted',
    theme: 'swaps',
    file: 'services/swap.ts',
    find: 'if (!asked || paused) await uncountStart(start)',
    replace: 'await uncountStart(start)',
    needs: ['swap'],
    withinSeeds: 5_000,
  },
  {
    name: 'a rate that was fetched before the clock was set back is used',
    theme: 'withdrawals',
    file: 'adapters/rates/cached.ts',
    find: 'Math.abs(nowSecs(clock) - fetchedAt)',
    replace: 'nowSecs(clock) - fetchedAt',
    needs: ['withdrawal'],
    withinSeeds: 10_000,
  },
  {
    name: 'a mail is removed with an earlier one that had its id',
    theme: 'sign-in and mail',
    file: 'store/repository/mail.ts',
    find: 'and({ id, recipient: to, about, created_at: createdAt })',
    replace: 'and({ id })',
    needs: ['sqlite', 'mail', 'several processes'],
    withinSeeds: 20_000,
  },
  {
    name: 'API keys are counted without the lock of their account',
    theme: 'locks',
    file: 'services/api-key.ts',
    find: 'await tx.accounts.lock(account.id)\n        if',
    replace: 'if',
    needs: ['postgres', 'sign-in'],
    withinSeeds: 10_000,
  },
  {
    name: 'a delivery that has ended is sent again by a process that had listed it',
    theme: 'deliveries',
    file: 'store/repository/delivery.ts',
    find: 'deliveries.id = begun.id AND deliveries.due_at_ms IS NOT NULL',
    replace: 'deliveries.id = begun.id',
    needs: ['postgres', 'webhook', 'several processes'],
    withinSeeds: 20_000,
  },
  {
    name: 'a late success is lost when a later attempt has failed',
    theme: 'deliveries',
    file: 'store/repository/delivery.ts',
    find: `.where('public_id', 'in', batch)
          .where('due_at_ms', 'is not', null)`,
    replace: `.where('public_id', 'in', batch)
          .where('state', '=', 'sending')`,
    needs: ['webhook'],
    withinSeeds: 10_000,
  },
  {
    name: 'on PostgreSQL a use case that has timed out goes on after its rollback',
    theme: 'commits and crashes',
    file: 'store/postgres/transactions.ts',
    find: `        }).finally(
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
    replace: `        })
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
    name: 'a process reads the watch of a viewing key only once',
    theme: 'invoices',
    file: 'services/invoice.ts',
    find: 'const watched = await watchedUntil(tx, draft)',
    replace: `const all = ((deps as { all?: Map<number, number> }).all ??= new Map())
    const stored = all.get(draft.invoice.viewingKeyId) ?? (await watchedUntil(tx, draft))!
    const watched = stored < draft.invoice.watchUntil ? await watchedUntil(tx, draft) : stored
    all.set(draft.invoice.viewingKeyId, watched!)`,
    needs: ['postgres', 'operator'],
    withinSeeds: 2_000,
  },
  {
    name: 'a quote is stored for whatever invoice has the row id of its own one in a promoted standby',
    theme: 'swaps',
    file: 'services/swap.ts',
    find: 'const invoice = sameRow(locked, found)',
    replace: 'const invoice = locked',
    needs: ['postgres', 'swap', 'operator'],
    withinSeeds: 20_000,
  },
]
