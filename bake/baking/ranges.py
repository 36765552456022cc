"""Read and write files of finished ranges: one file for each range of targets of a table.

A file is named after the table's number and the range's first target. It starts with a line of
JSON: what the table depends on, and the number of runs. Deflated data follows: each row's set of
moves (uint64), the set of its first run (uint64) and the target where its run began (int32), then
the rows, first targets and symbols of all other runs (int32), all little-endian. The last 32 bytes
are the sha256 of everything before.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from bake.core.arrays import AnyArray
from bake.search.all_pairs.runs import EndedRuns
from bake.store.partial import written_whole
from bake.tables.range_search import OfRange, Range
from bake.tables.run_writer import RangeRuns

#: Version of the files' layout. Files of another version are not read.
VERSION = 3

#: The columns of a range: one entry for each row, and one entry for each ended run.
_ROW = ("<u8", "<u8", "<i4")
_RUN = ("<i4", "<i4", "<i4")
_ROW_BYTES = 20
_RUN_BYTES = 12

#: Most rows have equal sets, so the fastest level compresses well enough.
_DEFLATE_LEVEL = 1

_LONGEST_LINE = 2**12
_DIGEST_BYTES = 32


class UnusableError(Exception):
    """A stored range cannot be used; the message gives the reason in a few words."""


class RangeFolder:
    """The finished ranges of one table, stored in a folder."""

    def __init__(self, folder: Path, place: int, bound_to: str) -> None:
        """Refer to the files of a table, without reading or writing them.

        Args:
            folder: the folder of the files.
            place: number of the table among the tables of the asset.
            bound_to: text that identifies everything the table's contents depend on.
        """
        self.folder, self._place, self._bound_to = folder, place, bound_to

    def has(self, targets: Range) -> bool:
        """Return whether a file of the range exists, valid or not."""
        return self._file(targets[0]).exists()

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns | None:
        """Return a stored range; None if it is missing or unusable."""
        with suppress(UnusableError):
            return self.read(targets, rows, check, most_runs)
        return None

    def read(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns:
        """Return a stored range.

        Args:
            targets: the first target of the range, and the target after its last.
            rows: the number of rows.
            check: raises ValueError on runs that no search can have found.
            most_runs: the highest acceptable number of runs.

        Raises:
            UnusableError: the file is missing or damaged, belongs to another table, or contains
                more runs.
        """
        file = self._file(targets[0])
        if not file.exists():
            raise UnusableError("is missing")
        if not file.is_file():  # A pipe would wait for a writer.
            raise UnusableError("is damaged")
        try:
            return self._parsed(file.read_bytes(), targets, rows, check, most_runs)
        except OSError as error:
            raise UnusableError(f"cannot be read: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError, zlib.error):
            raise UnusableError("is damaged") from None

    def _parsed(
        self, data: bytes, targets: Range, rows: int, check: OfRange, most_runs: int
    ) -> RangeRuns:
        line = data[: data.find(b"\n", 0, _LONGEST_LINE) + 1]
        if not line or hashlib.sha256(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
            raise UnusableError("is damaged")
        header = json.loads(line)
        if header["version"] != VERSION or header["bound to"] != self._bound_to:
            raise UnusableError("is of another level, recipe or version")
        count = header["runs"]
        size = rows * _ROW_BYTES + count * _RUN_BYTES
        body = (
            b""
            if count > most_runs
            else zlib.decompressobj().decompress(data[len(line) : -_DIGEST_BYTES], size + 1)
        )
        if len(body) != size:
            raise UnusableError("does not fit")
        columns, begin = [], 0
        for kind, length in (*((kind, rows) for kind in _ROW), *((kind, count) for kind in _RUN)):
            column = np.frombuffer(body, kind, length, begin)
            columns.append(column.astype(column.dtype.newbyteorder("=")))
            begin += column.nbytes
        moves, first_moves, run_start, *ended = columns
        runs = RangeRuns(*targets, moves, run_start, first_moves, [EndedRuns(*ended)])
        check(runs)
        return runs

    def save(self, runs: RangeRuns) -> None:
        """Store a completely searched range.

        Raises:
            OutputError: the file cannot be written.
        """
        header = {"version": VERSION, "bound to": self._bound_to, "runs": runs.ended_count}
        columns: list[tuple[AnyArray, ...]] = [
            (runs.moves,),
            (runs.first_moves,),
            (runs.run_start,),
            *zip(*runs.ended, strict=True),
        ]
        digest, deflate = hashlib.sha256(), zlib.compressobj(_DEFLATE_LEVEL)
        with written_whole(self._file(runs.begin)) as partial, partial.open("wb") as file:

            def write(data: bytes) -> None:
                digest.update(data)
                file.write(data)

            write(json.dumps(header).encode() + b"\n")
            for kind, pieces in zip((*_ROW, *_RUN), columns, strict=False):
                for piece in pieces:
                    write(deflate.compress(piece.astype(kind, copy=False).tobytes()))
            write(deflate.flush())
            file.write(digest.digest())

    def _file(self, begin: int) -> Path:
        return self.folder / f"{self._place}-{begin}.range"
