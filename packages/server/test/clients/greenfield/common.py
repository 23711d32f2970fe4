"""What the programs of the Python clients share."""

import os
import time

URL = os.environ["GREENFIELD_URL"]
KEY = os.environ["GREENFIELD_KEY"]
STORE = os.environ["GREENFIELD_STORE"]
HOOK = os.environ["GREENFIELD_HOOK"]
POLL_SECS = 0.1


def say(*words):
    print(*words, flush=True)


def wait_until_settled(read_status):
    last = None
    while last != "Settled":
        status = read_status()
        if status != last:
            say("status", status)
        last = status
        time.sleep(POLL_SECS)
