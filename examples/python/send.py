"""Sends a message, and reads its status until it is final. Python 3.9 or newer, nothing to install."""
import base64, http.client, json, os, random, sys, time, uuid
import urllib.error, urllib.request

env = os.environ
basic = base64.b64encode(f"{env['WIGWAG_CLIENT_ID']}:{env['WIGWAG_CLIENT_SECRET']}".encode()).decode()
credentials = {"Authorization": f"Basic {basic}", "X-Wallet": f"Token {env['WIGWAG_WALLET_TOKEN']}"}


def may_repeat(status, code):
    return status in (408, 429) or status >= 500 or code == "idempotency_in_progress"


def call(method, path, body=None, key=None, attempts=3):
    """Repeats the same request, with the same key, while that can help."""
    headers = {**credentials, "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, attempts + 1):
        asked = 0
        try:
            request = urllib.request.Request(env["WIGWAG_BASE_URL"] + path, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            code = json.loads(text).get("code") if text.startswith("{") else None
            if attempt == attempts or not may_repeat(error.code, code):
                raise SystemExit(f"{error.code} {text}")
            asked = float(error.headers.get("Retry-After") or 0)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # No answer, or half of one: the message may have been taken.
            if attempt == attempts:
                raise SystemExit(f"uncertain: {error}; ask again with the key {key}")
        time.sleep(asked + random.random() * 0.5 * 2 ** (attempt - 1))


message = {
    "From": "WIGWAG",
    "To": sys.argv[1],
    "Content": "Your order 1042 is on its way.",
    "Reference": "order-1042",
    "CallbackUrl": env.get("CALLBACK_URL", "http://127.0.0.1:3000/callbacks"),
}
# In a program of yours, store the key before the first request: then a crash does no harm either.
sent = call("POST", "/v1/messages/sms", message, key=str(uuid.uuid4()))
while True:
    status = call("GET", f"/v1/transactions/{sent['Ticket']}/status")
    if status["Status"] not in ("pending", "scheduled"):
        break
    time.sleep(1)
print(sent["Ticket"], status["Status"], status["Cost"])
