import type { Change } from '../mutant.ts'

const SERVICE = 'services/sale/payment-link-sale.test.ts'
const SALE = 'services/sale/payment-link-sale.ts'
const DOMAIN = 'domain/sale/payment-link.ts'

export const LINKS: readonly Change[] = [
  {
    name: 'a link sells more than its stock',
    file: DOMAIN,
    in: 'whyClosed',
    find: 'heldUnits >= stock',
    replace: 'heldUnits > stock',
    killedBy: {
      file: SERVICE,
      test: 'of simultaneous buyers of the last units each unit has one, in every order of the processes',
    },
  },
  {
    name: 'open invoices hold no unit',
    file: 'store/repository/sale/payment-link.ts',
    in: 'heldUnits',
    find: 'num(row.paid_count) + num(row.open ?? 0)',
    replace: 'num(row.paid_count)',
    killedBy: { file: SERVICE, test: 'an expired invoice frees its unit; a late payment may oversell it' },
  },
  {
    name: 'an invoice of a link counts as soon as it is created',
    file: SALE,
    in: 'sell',
    find: '{ isCounted, check }',
    replace: '{ isCounted: true, check }',
    killedBy: { file: SERVICE, test: 'an invoice counts in the plan once, when its whole amount arrives' },
  },
  {
    name: 'an invoice of a link counts with each payment',
    file: SALE,
    in: 'applyLinkChanges',
    find: 'countsNow(before, after) && (await tx.paymentLinks.markCounted(after.id, now))',
    replace: 'after.receivedZat > before.receivedZat',
    killedBy: { file: SERVICE, test: 'an invoice counts in the plan once, when its whole amount arrives' },
  },
  {
    name: 'a form that is sent twice makes two invoices',
    file: SALE,
    in: 'sell',
    find: '{ ...request, idempotencyKey }',
    replace: '{ ...request, idempotencyKey: undefined }',
    killedBy: {
      file: SERVICE,
      test: 'a form that is sent twice makes one invoice; with another content it makes another',
    },
  },
  {
    name: 'one client opens any number of invoices',
    file: DOMAIN,
    in: 'exceedsOpen',
    find: 'ofClient > OPEN_LIMITS.client.max || ',
    replace: '',
    killedBy: {
      file: SERVICE,
      test: 'one client has five open invoices an hour; paid ones do not count, and other clients and the shop go on',
    },
  },
  {
    name: 'the links of an account open any number of invoices',
    file: DOMAIN,
    in: 'exceedsOpen',
    find: ' || ofAccount > OPEN_LIMITS.account',
    replace: '',
    killedBy: {
      file: SERVICE,
      test: 'a link has 50 open invoices and the links of an account 200; the keypad and the shop go on',
    },
  },
]
