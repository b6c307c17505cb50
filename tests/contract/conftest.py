from __future__ import annotations

from tests.contract.composites import closing as closing
from tests.contract.filled import path as path
from tests.contract.filled import reference as reference
