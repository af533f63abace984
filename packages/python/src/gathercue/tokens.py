"""Gateway tokens."""

import asyncio
import json
from typing import Any, TypedDict
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import TokenRefused
from .retries import asked_wait

ANSWER_WITHIN = 10.0


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is a refusal: `urllib` would send the session to the other address."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


class GatewayToken(TypedDict):
    """The used part of the answer of `POST /v1/auth/gateway-token`."""

    token: str
    url: str
    """Address such as `wss://…/v1/gateway`."""
    expiresAt: str
    """RFC 3339. Until then the token opens further connections, so that an anonymous viewer stays the same person."""


async def gateway_token(
    base_url: str, event_id: str, session_token: str | None = None, *, replay: bool = False
) -> GatewayToken:
    """
    Asks the server for a token, in a thread. Without a session the caller is an anonymous viewer. `replay`: the token replays an
    ended event, and does nothing else. Raises `TokenRefused` when the server refuses, and `OSError` when it is unreachable.
    """
    return await asyncio.to_thread(_request, base_url, event_id, session_token, replay)


def _request(base_url: str, event_id: str, session_token: str | None, replay: bool) -> GatewayToken:
    headers = {"content-type": "application/json"}
    if session_token is not None:
        headers["authorization"] = f"Bearer {session_token}"
    url = f"{base_url.rstrip('/')}/v1/auth/gateway-token"
    body = {"eventId": event_id, **({"replay": True} if replay else {})}
    request = Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with _opener.open(request, timeout=ANSWER_WITHIN) as response:
            answer: GatewayToken = json.load(response)
            return answer
    except HTTPError as refusal:
        try:
            problem = dict(json.load(refusal))
        except ValueError:
            problem = {}
        code, detail = str(problem.get("code", "unknown")), str(problem.get("detail", refusal.reason))
        raise TokenRefused(refusal.code, code, detail, asked_wait(refusal)) from None
