"""The simulated public GraphQL catalogue of RunPod."""

from __future__ import annotations

from typing import Any

import pytest

from scanners.simulator.graphql import GraphQLService
from scanners.simulator.graphql_syntax import DocumentError, read_operation
from scanners.simulator.market import SimulatedMarket
from tests.simulator.asking import KEY, START, asked, document

CARD = "NVIDIA GeForce RTX 4090"
ONE = '{ gpuTypes(input: {id: "NVIDIA GeForce RTX 4090"}) { %s } }'


class Graph:
    """A still market and the service in front of it."""

    def __init__(self) -> None:
        self.book = SimulatedMarket.empty(START).runpod
        self.service = GraphQLService(self.book, keys={KEY})

    def __call__(self, query: str, **variables: Any) -> Any:
        answer = self.service.answer(asked("/graphql", method="POST", body={"query": query, "variables": variables}))
        assert answer.status == 200
        return document(answer)

    def one(self, fields: str) -> dict[str, Any]:
        (row,) = self(ONE % fields)["data"]["gpuTypes"]
        assert isinstance(row, dict)
        return row


@pytest.fixture
def graph() -> Graph:
    return Graph()


def test_the_catalogue_needs_no_key(graph: Graph) -> None:
    rows = graph("query { gpuTypes { id displayName memoryInGb securePrice communityPrice } }")["data"]["gpuTypes"]
    assert len(rows) == len(graph.book.types)
    assert set(rows[0]) == {"id", "displayName", "memoryInGb", "securePrice", "communityPrice"}


@pytest.mark.parametrize("key", ["dead", ""])
def test_a_dead_key_makes_even_the_public_query_fail(graph: Graph, key: str) -> None:
    body = {"query": "{ gpuTypes { id } }"}
    answer = graph.service.answer(asked("/graphql", method="POST", body=body, key=key))
    assert (answer.status, document(answer)) == (401, {"error": {}})
    by_query = graph.service.answer(asked("/graphql", method="POST", body=body, query={"api_key": "dead"}))
    assert by_query.status == 401
    assert graph.service.answer(asked("/graphql", method="POST", body=body, key=KEY)).status == 200


def test_lowest_prices_are_for_the_whole_pod_of_one_cloud_under_any_alias(graph: Graph) -> None:
    graph.book.set_price(CARD, "secure", 0.7)
    graph.book.set_price(CARD, "community", 0.3)
    graph.book.set_stock(CARD, "secure", "HIGH")
    graph.book.set_stock(CARD, "community", "NONE")
    row = graph.one(
        "s1: lowestPrice(input: {gpuCount: 1, secureCloud: true}) { stockStatus uninterruptablePrice }"
        "s4: lowestPrice(input: {secureCloud: true, gpuCount: 4}) { price: uninterruptablePrice minimumBidPrice }"
        "c1: lowestPrice(input: {gpuCount: 1, secureCloud: false}) { stockStatus uninterruptablePrice minMemory }"
    )
    assert row == {
        "s1": {"stockStatus": "High", "uninterruptablePrice": 0.7},
        "s4": {"price": 2.8, "minimumBidPrice": 2.8},
        "c1": {"stockStatus": None, "uninterruptablePrice": None, "minMemory": None},
    }


def test_without_a_cloud_the_cheaper_price_stands_beside_the_other_ones_stock(graph: Graph) -> None:
    graph.book.set_price(CARD, "secure", 0.7)
    graph.book.set_price(CARD, "community", 0.3)
    graph.book.set_stock(CARD, "secure", "LOW")
    row = graph.one("lowestPrice(input: {gpuCount: 1}) { stockStatus uninterruptablePrice }")
    assert row["lowestPrice"] == {"stockStatus": "Low", "uninterruptablePrice": 0.3}


def test_community_cloud_has_no_data_centre(graph: Graph) -> None:
    graph.book.set_stock(CARD, "secure", "LOW")
    graph.book.set_stock(CARD, "community", "LOW")
    center = next(iter(graph.book.centers(graph.book.types[CARD], 1)))
    form = 'lowestPrice(input: {gpuCount: 1, secureCloud: %s, dataCenterId: "%s"}) { stockStatus }'
    assert graph.one(form % ("true", center))["lowestPrice"]["stockStatus"] == "Low"
    assert graph.one(form % ("false", center))["lowestPrice"]["stockStatus"] is None
    assert graph.one(form % ("true", "XX-YY-1"))["lowestPrice"]["stockStatus"] is None


def test_variables_comments_and_operation_names_are_read(graph: Graph) -> None:
    graph.book.set_stock(CARD, "secure", "MEDIUM")
    query = """
    # the catalogue
    query Stock($ids: [String!], $count: Int! = 2, $input: GpuLowestPriceInput) {
      kinds: gpuTypes(input: {ids: $ids}) {
        id  # the type
        two: lowestPrice(input: {gpuCount: $count, secureCloud: true}) { stockStatus }
        any: lowestPrice(input: $input) { stockStatus }
      }
    }
    """
    found = graph(query, ids=[CARD], input={"gpuCount": 1, "secureCloud": False})["data"]["kinds"]
    assert found == [{"id": CARD, "two": {"stockStatus": "Medium"}, "any": {"stockStatus": None}}]


def test_an_id_that_does_not_exist_is_an_empty_list_and_no_error(graph: Graph) -> None:
    assert graph('{ gpuTypes(input: {id: "RTX 4090"}) { id } }') == {"data": {"gpuTypes": []}}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("{ gpuTypes { id vram } }", 'Cannot query field "vram" on type "GpuType".'),
        (ONE % "lowestPrice(input: {gpuCount: 1}) { interruptablePrice }", "interruptablePrice"),
        (ONE % "lowestPrice(input: {secureCloud: true}) { stockStatus }", "gpuCount"),
        (ONE % "lowestPrice(input: {gpuCount: 1, cloud: 2}) { stockStatus }", '"cloud"'),
        ("{ __schema { types { name } } }", "introspection"),
        ("{ pods { id } }", 'Cannot query field "pods"'),
        ("{ gpuTypes }", "selection of subfields"),
        ("mutation { podStop(input: {}) { id } }", "logged in"),
        ("{ gpuTypes { id }", "<EOF>"),
        ("{ gpuTypes { id } } }", "Unexpected"),
        ("{ gpuTypes { $ } }", "Expected Name"),
        ("{ gpuTypes(input: $nothing) { id } }", '"$nothing" is not defined'),
        ("", "Syntax Error"),
    ],
)
def test_errors_travel_inside_status_200(graph: Graph, query: str, message: str) -> None:
    body = graph(query)
    assert "data" not in body
    assert message in body["errors"][0]["message"]
    assert body["errors"][0]["extensions"]["code"]


@pytest.mark.parametrize("body", ["", "not json", "[]", '{"query": 7}'])
def test_a_body_without_a_query_is_an_error(graph: Graph, body: str) -> None:
    answer = graph.service.answer(asked("/graphql", method="POST", body=body))
    assert answer.status == 200
    assert document(answer)["errors"]


def test_the_reader_refuses_endless_nesting() -> None:
    with pytest.raises(DocumentError, match="deep"):
        read_operation("{ a " * 5_000, {})
    with pytest.raises(DocumentError, match="deep"):
        read_operation("{ a(b: " + "[" * 5_000, {})
