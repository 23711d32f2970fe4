"""Sells, is paid and refunds with the tools of btcpay-mcp, as an agent calls them. They answer in words."""

import asyncio
import os
import re

from common import HOOK, KEY, STORE, URL, say, wait_until_settled

os.environ.update(BTCPAY_BASE_URL=URL, BTCPAY_API_KEY=KEY, BTCPAY_STORE_ID=STORE)

from btcpay_mcp import server  # noqa: E402

SECRET = "a-secret-that-the-agent-chose"


def use(tool, *args, **named):
    text = asyncio.run(tool(*args, **named))
    if "rror" in text:
        raise SystemExit(text)
    return text


def find(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise SystemExit(f"no {pattern} in {text}")
    return found[1]


use(server.get_server_info)
use(server.list_stores)
# server.get_store_payment_methods expects the object that version 1 answered, and fails on the list of version 2.
use(server.create_webhook, HOOK, secret=SECRET, automatic_redelivery=True)
say("webhook", SECRET)

# It looks for the checkout link under a name that BTCPay does not use, and shows N/A.
invoice_id = find(r"ID: (\S+)", use(server.create_invoice, "12.34", "EUR", "mcp-1"))
say("invoice", invoice_id, f"{URL}/i/{invoice_id}")
wait_until_settled(lambda: find(r"Status: (\w+)", use(server.get_invoice, invoice_id)))
say("paid", "unknown")

refund_id = find(r"Refund ID: (\S+)", use(server.refund_invoice, invoice_id))
use(server.list_pull_payments)
say("refund", f"{URL}/r/{refund_id}")
