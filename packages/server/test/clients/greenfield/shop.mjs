// Sells, is paid and refunds with the client of npm. Prints each step.
import { setTimeout as delay } from 'node:timers/promises'
import client from 'btcpay-greenfield-node-client'

const { GREENFIELD_URL, GREENFIELD_KEY, GREENFIELD_STORE: storeId, GREENFIELD_HOOK: url } = process.env
const { OpenAPI, InvoicesService, PullPaymentsManagementService, WebhooksService } = client
const POLL_MS = 100
const say = line => process.stdout.write(`${line}\n`)

OpenAPI.BASE = GREENFIELD_URL
OpenAPI.TOKEN = GREENFIELD_KEY

const webhook = await WebhooksService.postWebhooksService({
  storeId,
  requestBody: { url, authorizedEvents: { everything: true }, enabled: true, automaticRedelivery: true },
})
say(`webhook ${webhook.secret}`)

const { id: invoiceId, checkoutLink } = await InvoicesService.invoicesCreateInvoice({
  storeId,
  requestBody: { amount: '12.34', currency: 'EUR', metadata: { orderId: 'npm-1' } },
})
say(`invoice ${invoiceId} ${checkoutLink}`)

for (let last = ''; last !== 'Settled'; await delay(POLL_MS)) {
  const { status } = await InvoicesService.invoicesGetInvoice({ storeId, invoiceId })
  if (status !== last) say(`status ${status}`)
  last = status
}
const [method] = await InvoicesService.invoicesGetInvoicePaymentMethods({ storeId, invoiceId })
say(`paid ${method.payments.map(({ value }) => value)}`)

const refund = await PullPaymentsManagementService.pullPaymentsCreatePullPayment({
  storeId,
  requestBody: { name: 'Refund of order npm-1', amount: '5', currency: 'EUR', paymentMethods: ['ZEC'] },
})
say(`refund ${refund.viewLink}`)
