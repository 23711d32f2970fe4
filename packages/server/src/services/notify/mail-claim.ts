import { nextMailAttemptAt } from '../../domain/notify/mail-schedule.ts'
import { isRowFault, mailOf, mailReference, retrySetAsideSecs } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { CodeMail, DueNotice } from '../../ports/repository/notify/mail.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store } from '../../ports/store.ts'
import type { SetAsides } from '../set-aside.ts'

type DueMail = CodeMail | DueNotice

export interface MailClaims {
  /** Claims due mails, in halves when one of them cannot be claimed. */
  claim(kind: 'codes' | 'notices', limit: number): Promise<DueMail[]>
  /** Claims a mail that is set aside. It stays so until it is done. Null: there is nothing to do for this process. */
  claimSetAside(entry: SetAside): Promise<DueMail | null>
}

export function createMailClaims(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly setAsides: SetAsides
}): MailClaims {
  const { store, clock, setAsides } = deps
  const retryAt = (now: number) => (attempts: number) => nextMailAttemptAt(now, attempts)

  async function claim(kind: 'codes' | 'notices', limit: number) {
    const now = nowSecs(clock)
    const write = (ids?: readonly number[]) =>
      store.write<DueMail[]>(tx =>
        kind === 'codes'
          ? tx.mails.claimCodes(now, limit, retryAt(now), ids)
          : tx.mails.claimNotices(now, limit, retryAt(now), ids),
      )
    try {
      return await write()
    } catch (error) {
      if (!isRowFault(error)) throw error
      const due = await store.read(tx => tx.mails.listDue(kind, now, limit))
      const claimed: Awaited<ReturnType<typeof write>> = []
      await setAsides.forEachBisected(due, mailReference, async part => {
        for (const mail of await write(part.map(({ id }) => id))) claimed.push(mail)
      })
      return claimed
    }
  }

  async function claimSetAside(entry: SetAside): Promise<DueMail | null> {
    const now = nowSecs(clock)
    const identity = mailOf(entry)
    return store.write(async tx => {
      const current = await tx.setAside.lock(entry)
      // Another process tries it.
      if (current?.nextAttemptAt !== entry.nextAttemptAt) return null
      const queue = await tx.mails.makeDue(identity, now)
      // On SQLite a later mail may have the id of a removed one.
      if (queue === null) {
        await tx.setAside.remove(entry)
        return null
      }
      const [mail] =
        queue === 'notice'
          ? await tx.mails.claimNotices(now, 1, retryAt(now), [identity.id])
          : await tx.mails.claimCodes(now, 1, retryAt(now), [identity.id])
      if (mail) await tx.setAside.put({ ...current, nextAttemptAt: now + retrySetAsideSecs(entry.failures + 1) })
      else await tx.setAside.remove(entry)
      return mail ?? null
    })
  }

  return { claim, claimSetAside }
}
