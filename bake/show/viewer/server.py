"""Serve the page to browsers on this machine only.

The server accepts connections from this machine. As a page of another site in the same browser
could still send requests, each address begins with a secret. Such a page could also resolve its own
name to this machine (DNS rebinding), so the host and the origin of a request must be the server's.
No part of an address is used as the path of a file.
"""

from __future__ import annotations

import errno
import hmac
import html
import os
import queue
import re
import secrets
import socket
import socketserver
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from bake.show.viewer.bundle import served_page_html
from bake.show.viewer.served import ServedLevels
from levelbake.errors import BakeError, OutputError

HOST = "127.0.0.1"

#: Seconds between two keep-alive messages to a page, which also reveal a closed connection.
SIGN_OF_LIFE = 10.0

#: Seconds after which an idle connection is closed.
_IDLE = 60.0

#: Headers of every response: no caching, no referrer to other sites, no framing.
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'; sandbox"

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


class ViewerServer(socketserver.ThreadingTCPServer):
    """A server of one page."""

    allow_reuse_address = os.name != "nt"  # On Windows a second server could take the port.
    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def __init__(self, levels: ServedLevels, port: int = 0) -> None:
        """Open the port, without serving requests yet.

        Args:
            levels: the levels to show.
            port: the port; 0 = any free port.

        Raises:
            OutputError: the port is in use, or needs more privileges.
        """
        #: The levels, and the secret in each address.
        self.levels, self.secret = levels, secrets.token_urlsafe(16)
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            known = {errno.EADDRINUSE: "is in use", errno.EACCES: "needs more privileges"}
            reason = known.get(error.errno or 0, f"cannot be used: {error.strerror or error}")
            raise OutputError(
                f"port {port} {reason}", remedy="choose another port, or leave --port out"
            ) from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page, with the secret."""
        return f"http://{HOST}:{self.port}/{self.secret}/"

    def start(self) -> None:
        """Serve the page and follow the assets, in background threads."""
        for work in (self.serve_forever, self.levels.follow):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Stop the server and close the connections of all pages."""
        self.levels.close()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors of connections that a browser closed during a response."""


class _Handler(BaseHTTPRequestHandler):
    server: ViewerServer
    protocol_version = "HTTP/1.1"
    server_version = "bake"
    sys_version = ""
    timeout = _IDLE
    #: The media type of each part of a level.
    _parts: ClassVar = {"flat": "application/octet-stream", "contents": "application/json"}

    def log_message(self, format: str, *args: object) -> None:
        """Write no log, because addresses contain the secret."""

    def do_GET(self) -> None:
        """Respond to a request, after checking its origin."""
        try:
            self._answer()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def do_HEAD(self) -> None:
        """Respond as to GET, but only with headers."""
        self.do_GET()

    def _answer(self) -> None:
        if not self._is_for_us():
            self._send(HTTPStatus.FORBIDDEN, "this server accepts requests only from its own page")
            return
        parts = self._place()
        if parts == [""]:
            self._send_page()
        elif parts == ["events"]:
            self._send_events()
        elif len(parts) == 3 and parts[0] == "level" and parts[2] in self._parts:
            self._send_part(parts[1], parts[2])
        else:
            self._send(HTTPStatus.NOT_FOUND, "not found")

    def _is_for_us(self) -> bool:
        """Return whether a request has this server's host and does not come from another site."""
        names = [f"{name}:{self.server.port}" for name in (HOST, "localhost")]
        hosts, origins = self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in names:
            return False
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins):
            return False
        # A link in a message may open the page, but other pages may not request its parts.
        site = self.headers.get("Sec-Fetch-Site", "none")
        return site in ("none", "same-origin") or self.headers.get("Sec-Fetch-Mode") == "navigate"

    def _place(self) -> list[str]:
        """Return the parts of the address after the secret; empty if the secret is wrong."""
        try:
            path = urlsplit(self.path).path
        except ValueError:
            return []
        first, *rest = path.removeprefix("/").split("/")
        received, secret = first.encode(errors="replace"), self.server.secret.encode()
        return [unquote(part) for part in rest] if hmac.compare_digest(received, secret) else []

    # -- answers --------------------------------------------------------------------------------

    def _send_page(self) -> None:
        page = served_page_html(self.server.levels.entries(), events="events")
        match = _POLICY.search(page)
        policy = html.unescape(match[1]) if match else "default-src 'none'"
        kind = "text/html; charset=utf-8"
        self._send(HTTPStatus.OK, page, kind, f"{policy}; frame-ancestors 'none'")

    def _send_part(self, id: str, part: str) -> None:
        try:
            level = self.server.levels.level(id)
        except BakeError as error:
            self._send(HTTPStatus.CONFLICT, str(error))
            return
        if level is None:
            self._send(HTTPStatus.NOT_FOUND, f"there is no asset named {id}")
            return
        self._send(HTTPStatus.OK, getattr(level, part), self._parts[part])

    def _send(
        self,
        status: HTTPStatus,
        content: str | bytes,
        kind: str = "text/plain; charset=utf-8",
        policy: str = _NOTHING_RUNS,
    ) -> None:
        data = content.encode(errors="replace") if isinstance(content, str) else content
        self._begin(status, kind, policy)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin(self, status: HTTPStatus, kind: str, policy: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", policy)
        for name, value in _HEADERS.items():
            self.send_header(name, value)

    def _send_events(self) -> None:
        """Send the state now and after each change (HTML standard, server-sent events)."""
        self.close_connection = True
        self._begin(HTTPStatus.OK, "text/event-stream; charset=utf-8", _NOTHING_RUNS)
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "HEAD":
            return
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener = self.server.levels.listen()
        try:
            self.wfile.write(b"retry: 1000\n\n")
            while True:
                try:
                    state = listener.get(timeout=SIGN_OF_LIFE)
                except queue.Empty:
                    self.wfile.write(b": here\n\n")
                    continue
                if state is None:
                    return
                self.wfile.write(f"event: state\ndata: {state}\n\n".encode())
        finally:
            self.server.levels.leave(listener)
