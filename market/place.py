"""Countries as ISO 3166 two-letter codes, and the country in which a RunPod data centre lies.

It knows codes alone, no names and no regions: a rule names countries by code.
"""

from __future__ import annotations

import re
from typing import Final

_CODES: Final = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
    GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO
    JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR
    MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO
    RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV
    TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
"""
COUNTRIES: Final = frozenset(_CODES.split())
"""Every code of ISO 3166-1, and XK, which is in use for Kosovo."""

_REGIONS: Final = frozenset({"EU", "EUR", "AP", "APAC", "AS", "OC", "SEA", "NA", "SA", "LATAM", "AF", "ME", "MEA"})
_DATA_CENTER: Final = re.compile(r"[A-Z]{2,5}(?:-[A-Z0-9]{1,6}){1,3}")


def is_data_center(text: str) -> bool:
    """Whether a text has the shape of a RunPod data centre id, such as EU-RO-1. Which ones exist changes too often."""
    return _DATA_CENTER.fullmatch(text) is not None


def data_center_country(data_center: str) -> str | None:
    """The country of a RunPod data centre by its id: RO of EU-RO-1, US of US-KS-2; None when it does not tell.

    An id begins with a country ("CA-MTL-1") or with a region that a country follows ("EUR-IS-1").
    """
    first, _, rest = data_center.upper().partition("-")
    second = rest.partition("-")[0]
    if first in _REGIONS and second in COUNTRIES:
        return second
    return first if first in COUNTRIES else None
