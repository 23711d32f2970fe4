import type { Change } from '../mutant.ts'

const STATES = 'domain/sale/greenfield-invoice.test.ts'
const CONSENTS = 'domain/account/authorization.test.ts'
const PULLS = 'http/greenfield/pull-payment.test.ts'

export const GREENFIELD: readonly Change[] = [
  {
    name: 'late money counts as paid before it is confirmed',
    file: 'domain/sale/greenfield-invoice.ts',
    in: 'greenfieldState',
    find: "const part = receivedZat > 0n ? 'PaidPartial' : 'None'",
    replace: "const part = lateAt !== null ? 'PaidLate' : receivedZat > 0n ? 'PaidPartial' : 'None'",
    killedBy: { file: STATES, test: 'late money that is not confirmed is never shown as paid' },
  },
  {
    name: 'a plugin lowers the confirmations of the account',
    file: 'domain/sale/greenfield-invoice.ts',
    in: 'confirmationsOf',
    find: 'Math.max(floor, CONFIRMATIONS_OF[policy])',
    replace: 'CONFIRMATIONS_OF[policy]',
    killedBy: { file: STATES, test: 'a policy asks for at least the confirmations of the account' },
  },
  {
    name: 'an unconfirmed payment is shown as settled',
    file: 'domain/sale/greenfield-invoice.ts',
    in: 'paymentStatus',
    find: "location.at === 'mempool'",
    replace: "location.at === 'mined' && location.height > confirmedTip",
    killedBy: { file: STATES, test: 'a payment is settled with its confirmations' },
  },
  {
    name: 'an invoice with money on its way is canceled by a mark',
    file: 'services/sale/invoice-mark.ts',
    in: 'write',
    find: 'whyNotCancelable(invoice) !== null',
    replace: "invoice.status === 'paid'",
    killedBy: {
      file: 'services/sale/invoice-mark.test.ts',
      test: 'a part that has arrived keeps an invoice from being canceled',
    },
  },
  {
    name: 'a mark as settled changes the status',
    file: 'services/sale/invoice-mark.ts',
    in: 'markLocked',
    find: 'await tx.invoices.mark(invoice.id, mark, now)',
    replace:
      "await tx.invoices.mark(invoice.id, mark, now)\n    await tx.invoices.updateStates([{ ...invoice, status: 'paid' }])",
    killedBy: {
      file: 'http/greenfield/invoice.test.ts',
      test: 'one that is marked as settled keeps its status on the chain',
    },
  },
  {
    name: 'a full refund is converted anew',
    file: 'domain/sale/greenfield-refund.ts',
    in: 'planOfPrice',
    find: "currencyCode(price) !== invoiceCurrency(invoice) || currencyCode(price) === 'ZEC'",
    replace: "currencyCode(price) !== ''",
    killedBy: { file: 'domain/sale/greenfield-refund.test.ts', test: 'the whole price gives back the whole payment' },
  },
  {
    name: 'a pull payment refunds an order that its reason alone names',
    file: 'domain/sale/greenfield-refund.ts',
    in: 'orderWords',
    find: "name.split(';', 1)",
    replace: 'name.split(String.fromCharCode(0), 1)',
    killedBy: { file: PULLS, test: 'a pull payment is a refund of the only order that its name has' },
  },
  {
    name: 'a consent sends the key over plain http',
    file: 'domain/account/authorization.ts',
    in: 'receiverOf',
    find: "url.protocol === 'http:' && isLoopbackInBrowser(url.hostname)",
    replace: "url.protocol === 'http:'",
    killedBy: { file: CONSENTS, test: 'a key goes over https, or stays on the machine of the browser' },
  },
  {
    name: 'a consent shows another host before the real one',
    file: 'domain/account/authorization.ts',
    in: 'receiverOf',
    find: "url.hostname === '' || url.username !== '' || url.password !== ''",
    replace: "url.hostname === ''",
    killedBy: { file: CONSENTS, test: 'a key goes over https, or stays on the machine of the browser' },
  },
  {
    name: 'a consent gives a strict plugin fewer permissions than it asks for',
    file: 'domain/account/authorization.ts',
    in: 'problem',
    find: 'isStrict && unsupported.length > 0',
    replace: 'isStrict && permissions.length === 0',
    killedBy: {
      file: CONSENTS,
      test: 'a permission that means nothing here is refused, and left out if the plugin allows that',
    },
  },
  {
    name: 'a consent needs no form of its own session',
    file: 'web/routes/account/authorize.ts',
    in: 'authorizePages',
    find: 'checkFormToken(keyedHash, user.session, form)',
    replace: 'void checkFormToken',
    killedBy: { file: 'web/authorize.test.ts', test: 'a form of another site or session allows nothing' },
  },
  {
    name: 'the last message of an event is sent first',
    file: 'services/notify/endpoint-delivery.ts',
    in: 'insertParts',
    find: 'inserted[0] ?? null',
    replace: 'inserted.at(-1) ?? null',
    killedBy: {
      file: 'services/notify/greenfield-delivery.test.ts',
      test: 'each message of an event is a separate request, in order',
    },
  },
  {
    name: 'a message that the receiver refuses is sent again',
    file: 'domain/notify/endpoint-progress.ts',
    in: 'isRepeatable',
    find: 'statusCode === null || statusCode >= 500',
    replace: 'statusCode === null || statusCode >= 300',
    killedBy: {
      file: 'domain/notify/endpoint-progress.test.ts',
      test: 'it is tried again when the receiver is silent or in trouble',
    },
  },
  {
    name: 'an invoice that was marked is settled again by its payment',
    file: 'domain/notify/greenfield-event.ts',
    in: 'isUnmarked',
    find: 'mark === undefined',
    replace: "mark !== 'settled'",
    killedBy: {
      file: 'services/notify/greenfield-delivery.test.ts',
      test: 'an event without a message for the endpoint is passed over, and only chosen messages are sent',
    },
  },
]
