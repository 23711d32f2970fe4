import { type Action, action, fault, type PartFactory, transitionsOf } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import { type MailMode, mailboxesOf } from '../../world/mailboxes.ts'
import { pay } from '../../world/payment.ts'
import type { World } from '../../world/world.ts'
import { MailJudge } from './judge.ts'
import { lateRemoval } from './races.ts'

/** The mail server, and the mails of the service. */
export const mailPart: PartFactory = {
  name: 'mail',
  probability: 0.3,
  create(world) {
    const mailboxes = mailboxesOf(world)
    const judge = new MailJudge(world)
    const isShared = world.setup.database === 'sqlite' && world.setup.processes > 1
    const draw = new Draw(world.nextSeed(), 'mail')
    mailboxes.onSend = mail => {
      judge.sent(mail)
      if (world.healed || !mail.subject.endsWith('are missing')) return
      if (draw.chance(0.2)) mailboxes.mode = 'refuses'
      if (draw.chance(0.5)) return
      const told = removePayments(world, draw, 'one')
      if (told === undefined) return
      mailboxes.mode = 'slow'
      world.story.tell('world', `${told}, while a mail about missing payments is sent`)
    }
    return {
      workers: ['mail'],
      transitions: TRANSITIONS,
      actions: [...mailActions(world), ...(isShared ? [lateRemoval(world)] : [])],
      setUp: async () => {
        if (draw.chance(0.5)) await sell(world, draw)
      },
      ports: process => ({ mailer: mailboxes.connect(process) }),
      onCommit: () => judge.check(),
      heal() {
        mailboxes.mode = 'works'
      },
      unsettled: () => judge.unsettled(),
    }
  },
}

const TRANSITIONS = transitionsOf('mail', {
  queued: ['claimed'],
  failed: ['claimed'],
  claimed: ['sent', 'given up', 'postponed'],
})

function mailActions(world: World): readonly Action[] {
  const mailboxes = mailboxesOf(world)

  function mode(next: MailMode, description: string): Action {
    return fault(`the mail server ${next}`, 0.7, description, () => {
      if (mailboxes.mode === next) return undefined
      mailboxes.mode = next
      return `the mail server: ${next}`
    })
  }

  return [
    mode('mixed', 'the mail server treats each mail in another way'),
    mode('slow', 'the mail server responds late'),
    mode('hangs', 'the mail server does not respond'),
    mode('refuses', 'the mail server refuses mails'),
    mode('loses responses', 'the connection breaks after the mail server has accepted a mail'),
    action('mine until payments are confirmed', 3, () => {
      if (world.network.mempool.size === 0) return undefined
      for (let blocks = 0; blocks <= world.setup.confirmations; blocks++) world.mine()
      return `blocks are mined, up to ${world.network.height}`
    }),
    {
      name: 'paid invoices lose their payments',
      weight: 8,
      fault: 'a reorganisation removes the payments of paid invoices for good',
      run: draw => removePayments(world, draw),
    },
    action('the mail server recovers', 2, () => {
      if (mailboxes.mode === 'works') return undefined
      mailboxes.mode = 'works'
      return 'the mail server works'
    }),
  ]
}

/** Some invoices are paid and confirmed from the start, so that a reorganisation can remove their payments. */
async function sell(world: World, draw: Draw): Promise<void> {
  const { shop } = world
  const count = draw.int(1, 4)
  for (let i = 0; i < count; i++) await shop.requestInvoice(draw, draw.pick(shop.merchants), 1)
  for (const { address, amountZat: valueZat } of shop.invoices) {
    pay(world, draw, [{ address, valueZat }], { expiryHeight: 0 })
  }
  for (let blocks = 0; blocks <= world.setup.confirmations; blocks++) world.mine()
}

const PAID = `SELECT DISTINCT payments.txid FROM payments JOIN invoices ON invoices.id = invoice_id
  WHERE status = 'paid' AND location = 'mined' AND needs_attention = 0`

/** Replaces the blocks from the payment of a paid invoice on by blocks without it, and some without later ones too. */
function removePayments(world: World, draw: Draw, which: 'one' | 'several' = 'several'): string | undefined {
  const { network } = world
  const paid = world.database.committed<{ txid: string }>(PAID)
  const mined = paid.filter(({ txid }) => network.minedAt(txid) !== null)
  if (mined.length === 0) return undefined
  const first = draw.pick(mined).txid
  const depth = network.height - network.minedAt(first)! + 1
  if (depth > MAX_DEPTH) return undefined
  const chance = which === 'one' ? 0 : draw.pick([0, 0.5, 1])
  const removed = new Set(mined.filter(({ txid }) => txid === first || draw.chance(chance)).map(({ txid }) => txid))
  network.removeBlocks(depth, ({ txid }) => !removed.has(txid))
  for (let blocks = 0; blocks <= depth; blocks++) world.mine()
  return `${depth} blocks are replaced; the chain ends at ${network.height}`
}

const MAX_DEPTH = 30
