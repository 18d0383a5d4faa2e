"""Log lines on a descriptor that takes only a part of one, as a disk does that fills up."""

import fcntl
import os

from libs.runtime.logs import _Stderr

ROOM = 4096


def test_a_line_that_was_cut_does_not_spoil_the_next():
    """The rest is lost; what comes when there is room again stands on a line of its own."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, ROOM)
    os.set_blocking(writer, False)
    log = _Stderr(writer)
    assert log.write(b"a" * ROOM * 2 + b"\n") == ROOM
    assert log.write(b"lost\n") == 0
    assert os.read(reader, ROOM) == b"a" * ROOM
    for line in (b"one\n", b"two\n"):
        log.write(line)
    assert os.read(reader, ROOM) == b"\none\ntwo\n"
    os.close(reader)
    assert log.write(b"nobody reads\n") == 0
    os.close(writer)
