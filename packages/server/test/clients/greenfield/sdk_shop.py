"""Sells, is paid and refunds with btcpay-python-sdk. It has no webhooks."""

import btcpay
from common import KEY, STORE, URL, say, wait_until_settled

btcpay.api_key = KEY
btcpay.store_id = STORE
btcpay.host_url = URL + "/"

from btcpay.resources.invoices import Invoices  # noqa: E402
from btcpay.resources.pull_payments import PullPayments  # noqa: E402

invoice = Invoices.create_invoice(amount=12.34, currency="EUR", metadata={"orderId": "sdk-1"})
say("invoice", invoice["id"], invoice["checkoutLink"])
wait_until_settled(lambda: Invoices.get_invoice(invoice["id"])["status"])
(method,) = Invoices.get_invoice_payment_methods(invoice["id"])
say("paid", ",".join(payment["value"] for payment in method["payments"]))

refund = PullPayments.create_pull_payment(
    name="Refund of order sdk-1", amount="5", currency="EUR", paymentMethods=["ZEC"]
)
say("refund", refund["viewLink"])
