import type { ExpressionBuilder, Selectable } from 'kysely'
import { CODE_QUEUES } from '../../../domain/account/sign-in.ts'
import { MAX_MEASURED } from '../../../domain/count.ts'
import type {
  AttentionMail,
  ClaimedMail,
  CodeMail,
  DueMail,
  MailQueue,
  MailRepository,
  NoticeMail,
  ReceiptMail,
  UndoMail,
} from '../../../ports/repository/notify/mail.ts'
import { countUpTo } from '../../count.ts'
import { chunks, num } from '../../mapping.ts'
import type { Db, MailsTable, Tables } from '../../tables.ts'
import type { TxHooks } from '../../transaction/hooks.ts'
import { idAndTime, isNotSetAside } from '../set-aside.ts'
import { isAnyMailDue } from './due-mail.ts'

const ATTENTION_COLUMNS = 5

export function mailRepository(db: Db, hooks: Pick<TxHooks, 'notify'>): MailRepository {
  /** The oldest mails. @param ids of these; default: not those that are set aside */
  function oldest(queue: MailQueue, limit: number, ids?: readonly number[]) {
    const mails = db.selectFrom('mails').where('queue', '=', queue).orderBy('due_at').orderBy('id').limit(limit)
    return ids ? mails.where('id', 'in', ids) : mails.where(NOT_SET_ASIDE)
  }

  function due(queue: MailQueue, now: number, limit: number, ids?: readonly number[]) {
    return oldest(queue, limit, ids).where('due_at', '<=', now).whereRef('mailed_events', '<', 'events')
  }

  async function claim(
    queue: MailQueue,
    now: number,
    limit: number,
    retryAt: (attempts: number) => number,
    ids?: readonly number[],
  ) {
    const claimed = await due(queue, now, limit, ids).selectAll().forUpdate().skipLocked().execute()
    for (const { id, attempts: earlier } of claimed) {
      const attempts = num(earlier) + 1
      await db
        .updateTable('mails')
        .set({ attempts, due_at: retryAt(attempts) })
        .where('id', '=', id)
        .execute()
    }
    return claimed
  }

  /** A row without unmailed events only records when its kind may be mailed again. */
  async function removeMailed(now: number, limit: number): Promise<void> {
    const mailed = db
      .selectFrom('mails')
      .select('id')
      .where('queue', '=', 'notice')
      .where('due_at', '<=', now)
      .whereRef('mailed_events', '=', 'events')
      .orderBy('due_at')
      .limit(limit)
    // Repeats the condition: an event may have been added meanwhile.
    await db.deleteFrom('mails').where('id', 'in', mailed).whereRef('mailed_events', '=', 'events').execute()
  }

  return {
    countWaiting: () =>
      countUpTo(db, db.selectFrom('mails').select('id').whereRef('mailed_events', '<', 'events'), MAX_MEASURED),

    async enqueue({ to, about, detail, createdAt, events = 1 }) {
      await db
        .insertInto('mails')
        .values({
          recipient: to,
          notice_to: to,
          about,
          detail,
          created_at: createdAt,
          due_at: createdAt,
          last_event_at: createdAt,
          events,
        })
        .onConflict(conflict =>
          conflict
            .columns(['notice_to', 'about'])
            .doUpdateSet(eb => ({ events: eb('mails.events', '+', events), detail, last_event_at: createdAt })),
        )
        .execute()
      hooks.notify('mails')
    },

    async enqueueCode({ to, about, codeId, createdAt }, queue) {
      await db
        .insertInto('mails')
        .values({ recipient: to, about, code_id: codeId, created_at: createdAt, due_at: createdAt, queue })
        .execute()
      hooks.notify('mails')
    },

    async enqueueUndo({ to, about, emailChangeId, detail, createdAt }) {
      await db
        .insertInto('mails')
        .values({
          recipient: to,
          about,
          email_change_id: emailChangeId,
          detail,
          created_at: createdAt,
          due_at: createdAt,
        })
        .execute()
      hooks.notify('mails')
    },

    async isUndoWaiting({ to, emailChangeId }) {
      const row = await db
        .selectFrom('mails')
        .select('id')
        .where('queue', '=', 'notice')
        .where('about', '=', 'email_undo')
        .where('recipient', '=', to)
        .where('email_change_id', '=', emailChangeId)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async enqueueAttention(mails) {
      for (const batch of chunks(mails, ATTENTION_COLUMNS)) {
        await db
          .insertInto('mails')
          .values(
            batch.map(({ to, about, accountId, createdAt, dueAt }) => ({
              recipient: to,
              about,
              account_id: accountId,
              created_at: createdAt,
              due_at: dueAt,
            })),
          )
          .onConflict(conflict => conflict.doNothing())
          .execute()
      }
    },

    async listUnsorted(limit) {
      return (await oldest('unsorted', limit).select(['id', 'created_at']).execute()).map(toDueMail)
    },

    async lockUnsorted(limit, mails) {
      const ids = mails?.map(({ id }) => id)
      const unsorted = oldest('unsorted', limit, ids).select(['id', 'created_at', 'recipient'])
      const locked = await unsorted.forUpdate().skipLocked().execute()
      const created = new Map(mails?.map(({ id, createdAt }) => [id, createdAt]))
      const rows = mails ? locked.filter(row => created.get(num(row.id)) === num(row.created_at)) : locked
      const emails = new Set<string>()
      for (const batch of chunks(rows, 1)) {
        const recipients = batch.map(({ recipient }) => recipient)
        const accounts = await db.selectFrom('accounts').select('email').where('email', 'in', recipients).execute()
        for (const { email } of accounts) emails.add(email)
      }
      return rows.map(({ id, recipient }) => ({ mailId: num(id), hasAccount: emails.has(recipient) }))
    },

    async setQueue(mailIds, queue) {
      for (const batch of chunks(mailIds, 1))
        await db.updateTable('mails').set({ queue }).where('id', 'in', batch).where('queue', '=', 'unsorted').execute()
    },

    async removeUnsorted(mailIds) {
      for (const batch of chunks(mailIds, 1))
        await db.deleteFrom('mails').where('id', 'in', batch).where('queue', '=', 'unsorted').execute()
    },

    async claimCodes(now, limit, retryAt, ids) {
      const claimed: CodeMail[] = []
      for (const queue of CODE_QUEUES) {
        if (claimed.length === limit) break
        const rows = await claim(queue, now, limit - claimed.length, retryAt, ids)
        for (const row of rows) claimed.push(toCodeMail(row))
      }
      return claimed
    },

    async claimNotices(now, limit, retryAt, ids) {
      if (!ids) await removeMailed(now, limit)
      const rows = await claim('notice', now, limit, retryAt, ids)
      return rows.map(row => {
        if (row.about === 'reorged_payments') return toAttentionMail(row)
        if (row.about === 'receipt') return toReceiptMail(row)
        return row.about === 'email_undo' ? toUndoMail(row) : toNoticeMail(row)
      })
    },

    isAnyDue: (kind, now) => isAnyMailDue(db, kind, now),

    async listDue(kind, now, limit) {
      const listed: Pick<Selectable<MailsTable>, 'id' | 'created_at'>[] = []
      for (const queue of kind === 'codes' ? CODE_QUEUES : (['notice'] as const))
        for (const row of await due(queue, now, limit).select(['id', 'created_at']).execute()) listed.push(row)
      return listed.slice(0, limit).map(toDueMail)
    },

    async makeDue({ id, createdAt }, now) {
      const row = await db
        .updateTable('mails')
        .set({ due_at: now })
        .where('id', '=', id)
        .where('created_at', '=', createdAt)
        .returning('queue')
        .executeTakeFirst()
      return row?.queue ?? null
    },

    async setMailed(notice, dueAt) {
      await db
        .updateTable('mails')
        .set({ mailed_events: notice.events, attempts: 0, due_at: dueAt })
        .where(isSame(notice))
        .where('mailed_events', '<', notice.events)
        .execute()
    },

    async postpone(mail, dueAt) {
      await db.updateTable('mails').set({ due_at: dueAt, attempts: 0 }).where(isSame(mail)).execute()
    },

    async remove(mail) {
      await db.deleteFrom('mails').where(isSame(mail)).execute()
    },
  }
}

const NOT_SET_ASIDE = isNotSetAside('mail', idAndTime('mails.id', 'mails.created_at'))

function toDueMail(row: Pick<Selectable<MailsTable>, 'id' | 'created_at'>): DueMail {
  return { id: num(row.id), createdAt: num(row.created_at) }
}

/** SQLite uses the id of a removed mail again, so the id alone does not identify a mail. */
function isSame({ id, to, about, createdAt }: ClaimedMail) {
  return ({ and }: ExpressionBuilder<Tables, 'mails'>) => and({ id, recipient: to, about, created_at: createdAt })
}

function common(row: Selectable<MailsTable>) {
  return {
    id: num(row.id),
    to: row.recipient,
    createdAt: num(row.created_at),
    attempts: num(row.attempts) + 1,
  }
}

function toCodeMail(row: Selectable<MailsTable>): CodeMail {
  return { ...common(row), about: 'code', codeId: num(row.code_id as bigint) }
}

function toNoticeMail(row: Selectable<MailsTable>): NoticeMail {
  const events = num(row.events)
  return {
    ...common(row),
    about: row.about as NoticeMail['about'],
    detail: row.detail,
    unmailed: events - num(row.mailed_events),
    events,
    lastAt: num(row.last_event_at),
  }
}

function toUndoMail(row: Selectable<MailsTable>): UndoMail {
  return {
    ...common(row),
    about: 'email_undo',
    emailChangeId: num(row.email_change_id as bigint),
    detail: row.detail,
  }
}

function toReceiptMail(row: Selectable<MailsTable>): ReceiptMail {
  return { ...common(row), about: 'receipt', subject: row.subject ?? '', text: row.detail ?? '' }
}

function toAttentionMail(row: Selectable<MailsTable>): AttentionMail {
  return { ...common(row), about: 'reorged_payments', accountId: num(row.account_id as bigint) }
}
