"""Reading RunPod's JSON with patience: a field of the wrong kind is unknown and costs neither its row nor others."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

from market.offer import Tier
from scanners.client import Response
from scanners.errors import OddAnswer

NAME: Final = "runpod"
SENTINEL: Final = "unknown"
"""The type id of a row that stands for no card."""

T = TypeVar("T")


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


Soft = Annotated[T | None, WrapValidator(_or_none)]
"""A field that is None when missing, null or of the wrong kind."""

TypeId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Usd = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Memory = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Size = Annotated[int, Field(ge=0, le=100_000)]


class Wire(BaseModel):
    """Base of the payload models: names that are not asked for are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


Model = TypeVar("Model", bound=Wire)


def document(answer: Response) -> dict[str, Any]:
    """The JSON object of an answer. Raises OddAnswer."""
    if answer.is_html:
        raise OddAnswer(NAME, "a web page came instead of data")
    try:
        content = json.loads(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise OddAnswer(NAME, f"the answer is no JSON ({answer.excerpt or 'empty'})") from error
    if not isinstance(content, dict):
        raise OddAnswer(NAME, f"the answer is no JSON object ({answer.excerpt})")
    return content


def rows(model: type[Model], raw: Any, answer: Response, *, what: str = "GPU types") -> tuple[list[Model], int]:
    """The readable rows of a list, and how many were not. Raises OddAnswer for no list, or none readable in it.

    An empty list is odd too: RunPod always knows some types, so it is a fault and not "nothing left".
    """
    if not isinstance(raw, list) or not raw:
        raise OddAnswer(NAME, f"no list of {what} in the answer ({answer.excerpt})")
    found = []
    skipped = 0
    for row in raw:
        try:
            found.append(model.model_validate(row))
        except ValidationError:
            skipped += 1
    if not found:
        raise OddAnswer(NAME, f"not one of {skipped} {what} could be read")
    return found, skipped


def cloud(tier: Tier) -> str:
    """The cloud's name in an answer's fields: `secure` or `community`."""
    return "secure" if tier == "secure" else "community"
