"""Sells, is paid and refunds with pygreenfield. Its models lose the id of a webhook, so it only makes one."""

import pygreenfield as greenfield
from common import HOOK, KEY, STORE, URL, say, wait_until_settled

configuration = greenfield.Configuration()
configuration.host = URL
configuration.api_key["Authorization"] = KEY
configuration.api_key_prefix["Authorization"] = "token"
client = greenfield.ApiClient(configuration)
invoices = greenfield.InvoicesApi(client)

webhook = greenfield.WebhooksApi(client).api_v1_stores_store_id_webhooks_post(
    {"url": HOOK, "authorizedEvents": {"everything": True}}, STORE
)
say("webhook", webhook.secret)

invoice = invoices.invoices_create_invoice(
    {"amount": "12.34", "currency": "EUR", "metadata": {"orderId": "py-1"}}, STORE
)
say("invoice", invoice.id, invoice.checkout_link)
wait_until_settled(lambda: invoices.invoices_get_invoice(STORE, invoice.id).status)
(method,) = invoices.invoices_get_invoice_payment_methods(STORE, invoice.id)
say("paid", ",".join(payment.value for payment in method.payments))

refund = greenfield.PullPaymentsManagementApi(client).pull_payments_create_pull_payment(
    STORE,
    body={"name": "Refund of order py-1", "amount": "5", "currency": "EUR", "paymentMethods": ["ZEC"]},
)
say("refund", refund.view_link)
