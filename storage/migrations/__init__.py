"""The versions of the schema, oldest first. Each is one file in `versions`; a new one is added to this list too.

The list lets an up-to-date file open without loading the migration machinery, and tells a file of a newer version
from one of an older.
"""

REVISIONS = ("0001",)
HEAD = REVISIONS[-1]
