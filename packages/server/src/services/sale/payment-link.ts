import type { Account } from '../../domain/account/account.ts'
import { type Actor, type AuditKind, SERVICE } from '../../domain/account/audit.ts'
import { credentialHash, SECRET_BYTES } from '../../domain/account/credential.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import { checkedLinkTerms, type LinkTerms, MAX_LINKS, type PaymentLink } from '../../domain/sale/payment-link.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { Store } from '../../ports/store.ts'
import { recordChange } from '../account/audit.ts'
import { findByPublicId } from '../public-id.ts'

/** Fields that are absent stay. */
export type LinkChange = Partial<LinkTerms> & { readonly paused?: boolean }

/** The payment links of accounts, for their merchants. */
export interface PaymentLinks {
  /**
   * @param publicUrl of the service, see `parseShopUrl`
   * @throws AppError `invalid_<field>`, `too_many_payment_links`, `account_being_deleted`, `too_many_changes`
   */
  create(account: Account, terms: LinkTerms, publicUrl: string, actor?: Actor): Promise<PaymentLink>
  /** Newest first. */
  list(account: Account, page: Page): Promise<PaymentLink[]>
  /** @throws AppError `no_such_payment_link` */
  read(account: Account, publicId: string): Promise<PaymentLink>
  /** @throws AppError `no_such_payment_link`, and those of `create` */
  change(account: Account, publicId: string, change: LinkChange, publicUrl: string, actor?: Actor): Promise<PaymentLink>
  /**
   * Gives a link a keypad, whose earlier secret ends.
   * @returns the secret in its path, which is available only in this result
   * @throws AppError `no_such_payment_link`; `invalid_amount` for a link with a fixed amount
   */
  createKeypad(account: Account, publicId: string, actor?: Actor): Promise<string>
  /** @throws AppError `no_such_payment_link` */
  revokeKeypad(account: Account, publicId: string, actor?: Actor): Promise<void>
}

export function createPaymentLinks(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}): PaymentLinks {
  const { store, clock, random } = deps

  /** Changes a link under the lock of the account, as a sale of it does. */
  function update(
    account: Account,
    publicId: string,
    kind: AuditKind,
    actor: Actor,
    changed: (link: PaymentLink, at: number) => PaymentLink,
  ): Promise<PaymentLink> {
    return store.write(async tx => {
      await tx.accounts.lock(account.id)
      const before = await findByPublicId('no_such_payment_link', publicId, id => tx.paymentLinks.byPublicId(id))
      if (before.accountId !== account.id) throw new AppError('no_such_payment_link')
      const at = nowSecs(clock)
      const after = { ...changed(before, at), updatedAt: at }
      await tx.paymentLinks.update(after)
      await recordChange(tx, account, actor, { kind, at, detail: after.title })
      return after
    })
  }

  return {
    async create(account, given, publicUrl, actor = SERVICE) {
      const terms = checkedLinkTerms(given, publicUrl)
      const at = nowSecs(clock)
      return store.write(async tx => {
        await tx.accounts.lock(account.id)
        if ((await tx.paymentLinks.count(account.id)) >= MAX_LINKS)
          throw new AppError('too_many_payment_links', { detail: `an account can have at most ${MAX_LINKS}` })
        await recordChange(tx, account, actor, { kind: 'payment_link_created', at, detail: terms.title })
        return tx.paymentLinks.insert({
          ...terms,
          publicId: random.uuid(),
          accountId: account.id,
          createdAt: at,
          updatedAt: at,
        })
      })
    },

    list: (account, page) => store.read(tx => tx.paymentLinks.list(account.id, page)),

    async read(account, publicId) {
      const link = await findByPublicId('no_such_payment_link', publicId, id =>
        store.query(tx => tx.paymentLinks.byPublicId(id)),
      )
      if (link.accountId !== account.id) throw new AppError('no_such_payment_link')
      return link
    },

    change: (account, publicId, { paused, ...change }, publicUrl, actor = SERVICE) =>
      update(account, publicId, 'payment_link_changed', actor, (link, at) => {
        const after = { ...link, ...checkedLinkTerms({ ...link, ...change }, publicUrl) }
        // A keypad takes any amount.
        const keypadHash = after.amount === null ? after.keypadHash : null
        const pausedAt = paused === undefined ? link.pausedAt : paused ? (link.pausedAt ?? at) : null
        return { ...after, keypadHash, pausedAt }
      }),

    async createKeypad(account, publicId, actor = SERVICE) {
      const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
      await update(account, publicId, 'keypad_created', actor, link => {
        if (link.amount !== null) throw invalidField('amount', 'a keypad needs a link on which the amount is chosen')
        return { ...link, keypadHash: credentialHash(secret) }
      })
      return secret
    },

    async revokeKeypad(account, publicId, actor = SERVICE) {
      await update(account, publicId, 'keypad_revoked', actor, link => ({ ...link, keypadHash: null }))
    },
  }
}
