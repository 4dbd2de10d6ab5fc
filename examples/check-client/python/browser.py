"""A browser over its `cdpUrl` with the standard library alone: a WebSocket of one message at a time."""

import base64, json, os, socket, ssl, struct
from urllib.parse import urlsplit


class Cdp:
    def __init__(self, url, timeout):
        at = urlsplit(url)
        plain = socket.create_connection((at.hostname, at.port or (443 if at.scheme == "wss" else 80)), timeout)
        self.socket = ssl.create_default_context().wrap_socket(plain, server_hostname=at.hostname) if at.scheme == "wss" else plain
        self.stream = self.socket.makefile("rb")
        lines = [
            f"GET {at.path}{'?' + at.query if at.query else ''} HTTP/1.1",
            f"Host: {at.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        if b" 101 " not in self.stream.readline():
            raise ConnectionError("the browser refused the connection")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def call(self, id, method):
        data, mask = json.dumps({"id": id, "method": method}).encode(), os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        self.socket.sendall(bytes([0x81, 0x80 | len(data)]) + mask + masked)
        while (message := json.loads(self.read())).get("id") != id:
            pass
        return message["result"]

    def read(self):
        kind, length = self.take(2)
        length = length if length < 126 else struct.unpack(">H", self.take(2))[0] if length == 126 else struct.unpack(">Q", self.take(8))[0]
        data = self.take(length)
        return data if kind & 15 == 1 else b"{}"

    def take(self, count):
        data = self.stream.read(count)
        if len(data) < count:
            raise ConnectionError("the connection to the browser was lost")
        return data


def ask_version(client, settings, rounds):
    """Creates a browser, asks for its version, again after a lost connection, and stops it whatever happens."""
    browser = client.call("POST", "/browsers", settings)
    try:
        for connections in (1, 2, 3):
            try:
                cdp = Cdp(browser["cdpUrl"], client.timeout)
                return {"id": browser["id"], "product": [cdp.call(at, "Browser.getVersion") for at in range(1, rounds + 1)][-1]["product"]}
            except ConnectionError:
                if connections == 3:
                    raise
    finally:
        client.call("PATCH", f"/browsers/{browser['id']}", {"action": "stop"})
