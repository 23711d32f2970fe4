import type { PartFactory } from '../../run/part.ts'
import { mailboxesOf } from '../../world/mailboxes.ts'
import { signInActions } from './actions.ts'
import { ApiKeyOwners } from './api-keys.ts'
import { SignInJudge } from './judge.ts'
import { Visitors } from './visitors.ts'

/** Visitors who sign in with mailed codes, their sessions, and the API keys of merchants. */
export const signInPart: PartFactory = {
  name: 'sign-in',
  probability: 0.25,
  create(world) {
    const mailboxes = mailboxesOf(world)
    const judge = new SignInJudge(world)
    const visitors = new Visitors(world, judge)
    const owners = new ApiKeyOwners(world)
    return {
      workers: ['mail'],
      transitions: ['code · → requested', 'code requested → used', 'code requested → blocked'],
      actions: signInActions(world, visitors, owners),
      ports: process => ({ mailer: mailboxes.connect(process) }),
      onCommit: () => judge.check(),
    }
  },
}
