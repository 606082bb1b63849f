"""Receives callbacks, and takes only those that the gateway signed. Python 3.9 or newer, nothing to install."""
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Two secrets, with a space between them, while you replace one.
secrets = [base64.b64decode(each[len("whsec_"):]) for each in os.environ["WIGWAG_CALLBACK_SECRET"].split()]
handled = set()  # in a program of yours, a table with a unique key


def is_signed(headers, body):
    callback, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{callback}.{timestamp}.".encode("latin-1") + body
    own = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in secrets]
    given = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    # A list: every pair is compared, so the time taken tells nothing.
    return any([hmac.compare_digest(one, other) for one in own for other in given])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))  # the bytes as they came
        if not is_signed(self.headers, body):
            return self.answer(401)
        if self.headers["webhook-id"] not in handled:
            callback = json.loads(body)
            print(callback["ClientReference"], callback["Ticket"], callback["Status"], flush=True)
            handled.add(self.headers["webhook-id"])  # last: if the work fails, the callback comes again
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
