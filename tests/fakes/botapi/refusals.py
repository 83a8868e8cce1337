"""The errors of the Bot API in their exact words: each function makes one, for the fake itself and for `inject`.

Descriptions follow the official server. The prefix of the status ("Bad Request: ") belongs to them.
"""

from __future__ import annotations

from collections.abc import Mapping


class Refusal(Exception):
    """An answer `{"ok": false, …}`; the HTTP status is the error code."""

    def __init__(self, code: int, description: str, parameters: Mapping[str, int] | None = None) -> None:
        self.code = code
        self.description = description
        self.parameters = dict(parameters or {})
        super().__init__(f"{code} {description}")

    def as_json(self) -> dict[str, object]:
        body: dict[str, object] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


def bad_request(problem: str) -> Refusal:
    """400 with the text that follows "Bad Request: "."""
    return Refusal(400, f"Bad Request: {problem}")


def unparsable(problem: str) -> Refusal:
    return bad_request(f"can't parse entities: {problem}")


def chat_not_found() -> Refusal:
    return bad_request("chat not found")


def no_rights() -> Refusal:
    return bad_request("not enough rights to send text messages to the chat")


def thread_not_found() -> Refusal:
    return bad_request("message thread not found")


def topic_closed() -> Refusal:
    return bad_request("TOPIC_CLOSED")


def not_modified() -> Refusal:
    return bad_request(
        "message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message"
    )


def nothing_to_edit() -> Refusal:
    return bad_request("message to edit not found")


def query_too_old() -> Refusal:
    return bad_request("query is too old and response timeout expired or query ID is invalid")


def migrated(new_chat_id: int) -> Refusal:
    return Refusal(
        400,
        "Bad Request: group chat was upgraded to a supergroup chat",
        {"migrate_to_chat_id": new_chat_id},
    )


def unauthorized() -> Refusal:
    """The token is well formed, and nobody's."""
    return Refusal(401, "Unauthorized")


def invalid_token() -> Refusal:
    """The other wording of 401, from a server that looks at the token's form."""
    return Refusal(401, "Unauthorized: invalid token specified")


def blocked() -> Refusal:
    return Refusal(403, "Forbidden: bot was blocked by the user")


def deactivated() -> Refusal:
    return Refusal(403, "Forbidden: user is deactivated")


def cannot_initiate() -> Refusal:
    return Refusal(403, "Forbidden: bot can't initiate conversation with a user")


def kicked(kind: str = "group") -> Refusal:
    """`kind` is group, supergroup or channel."""
    return Refusal(403, f"Forbidden: bot was kicked from the {kind} chat")


def not_a_member(kind: str = "supergroup") -> Refusal:
    return Refusal(403, f"Forbidden: bot is not a member of the {kind} chat")


def not_found(detail: str = "") -> Refusal:
    """A malformed token, or with `detail` a method that does not exist."""
    return Refusal(404, f"Not Found: {detail}" if detail else "Not Found")


def conflict() -> Refusal:
    """Another getUpdates took over; the older long poll gets this."""
    return Refusal(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    )


def webhook_conflict() -> Refusal:
    return Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )


def too_large() -> Refusal:
    return Refusal(413, "Request Entity Too Large")


def too_many_requests(retry_after: int) -> Refusal:
    """Flood control; `retry_after` in seconds."""
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after})


def server_error(code: int = 500) -> Refusal:
    return Refusal(code, "Internal Server Error")
