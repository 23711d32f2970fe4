import { OPERATOR } from '../../domain/account/audit.ts'
import { formatUtc } from '../../domain/time.ts'
import { requireEmail } from '../../services/account/account.ts'
import type { Context } from '../context.ts'
import { table } from '../output.ts'
import { withServices } from '../services.ts'

interface OfAccount {
  readonly email: string
}

export async function list(context: Context): Promise<void> {
  const accounts = await withServices(context, services => services.accounts.list())
  context.out.result(
    accounts.map(account => ({
      id: account.publicId,
      email: account.email,
      plan: account.plan,
      plan_expires_at: account.planExpiresAt,
      viewing_key_set: account.viewingKeyId !== null,
      confirmations: account.confirmations,
      created_at: account.createdAt,
    })),
    accounts.length === 0
      ? ['no accounts yet']
      : table(
          ['email', 'plan', 'plan expires', 'viewing key', 'created'],
          accounts.map(({ email, plan, planExpiresAt, viewingKeyId, createdAt }) => [
            email,
            plan,
            planExpiresAt === null ? '' : formatUtc(planExpiresAt),
            viewingKeyId === null ? 'not set' : 'set',
            formatUtc(createdAt),
          ]),
        ),
  )
}

export async function create({ email }: OfAccount, context: Context): Promise<void> {
  // Before the database: an invalid email must not create one.
  requireEmail(email)
  const account = await withServices(context, ({ accounts }) => accounts.findOrCreate(email), {
    create: true,
    out: context.out,
  })
  context.out.result({ id: account.publicId, email: account.email, plan: account.plan }, [
    `${account.email} can sign in`,
  ])
}

export async function assignPlan(
  { email, plan }: OfAccount & { readonly plan: string },
  context: Context,
): Promise<void> {
  const account = await withServices(context, ({ accounts }) => accounts.setPlan(email, plan, null, OPERATOR))
  context.out.result({ email: account.email, plan: account.plan, plan_expires_at: null }, [
    `${account.email} is now on the ${account.plan} plan`,
  ])
}

export async function changeEmail(
  { email, newEmail }: OfAccount & { readonly newEmail: string },
  context: Context,
): Promise<void> {
  const changed = await withServices(context, async ({ accounts }) =>
    accounts.setEmail(await accounts.findByEmail(email), newEmail, OPERATOR),
  )
  context.out.result({ email: changed }, [`the account of ${email} is now that of ${changed}`])
}

export async function requestDeletion({ email }: OfAccount, context: Context): Promise<void> {
  const dueAt = await withServices(context, async ({ accounts, accountDeletions }) =>
    accountDeletions.request(await accounts.findByEmail(email), OPERATOR),
  )
  context.out.result({ email, due_at: dueAt }, [
    `${email} will be deleted on ${formatUtc(dueAt)} or later`,
    `to keep it: zatgate account keep ${email}`,
  ])
}

export async function cancelDeletion({ email }: OfAccount, context: Context): Promise<void> {
  await withServices(context, async ({ accounts, accountDeletions }) =>
    accountDeletions.cancel(await accounts.findByEmail(email), OPERATOR),
  )
  context.out.result({ email }, [`${email} is not deleted`])
}
