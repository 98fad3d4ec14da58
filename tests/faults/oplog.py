# SPDX-License-Identifier: MIT
"""What a program does to the files below a folder, recorded with strace.

record() runs a command and returns its operations in order, with the bytes that were
written, as Op tuples. A call that changes files and is not known here is an error, so that
nothing is left out of the record unseen.
"""
import collections
import os
import re
import subprocess

# kind: create, write, truncate, sync, rename, link, remove, mkdir. path is relative to the
# folder; other: the new name of rename and link.
Op = collections.namedtuple("Op", "kind path other offset data size")
Op.__new__.__defaults__ = (None, 0, b"", 0)

FOLLOWED = ("openat", "close", "dup", "dup2", "dup3", "fcntl", "lseek", "write", "pwrite64",
            "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link",
            "linkat", "unlink", "unlinkat", "mkdir", "mkdirat")
REFUSED = ("open", "creat", "writev", "pwritev", "pwritev2", "truncate", "fallocate",
           "sendfile", "copy_file_range", "splice", "symlink", "symlinkat", "rmdir", "sync",
           "syncfs", "sync_file_range", "mmap")
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\)\s+= (-?\d+|\?)")
TIMEOUT_S = 120


def _arguments(text):
    """The call's arguments; strings, which strace wrote in hexadecimal, as bytes."""
    found = []
    for part in re.findall(r'"[^"]*"(?:\.\.\.)?|[^,]+', text):
        part = part.strip()
        if part.startswith('"'):
            if part.endswith("..."):
                raise ValueError("strace cut a string off")
            found.append(bytes.fromhex(part.strip('"').replace("\\x", "")))
        elif part:
            found.append(part)
    return found


class _Reader:
    """Follows descriptors through a log."""

    def __init__(self, folder):
        self.folder = os.fsencode(os.fspath(folder)) + b"/"
        self.files = {}  # descriptor: [path, offset, appends]
        self.sizes = {}
        self.ops = []

    def _inside(self, path):
        """The path below the folder, or None."""
        if not path.startswith(b"/"):
            raise ValueError(f"a relative path: {path!r}")
        if not path.startswith(self.folder):
            return None
        return os.fsdecode(path[len(self.folder):].rstrip(b"/"))

    def line(self, line):
        match = LINE.match(line)
        if not match:
            return
        call, result = match[1], match[3]
        if result == "?" or int(result) < 0:
            return
        arguments = _arguments(match[2])
        if call in REFUSED:
            self._refuse(call, arguments)
        else:
            getattr(self, f"_{call}")(int(result), *arguments)

    def _refuse(self, call, arguments):
        if call == "mmap":
            if "PROT_WRITE" in arguments[2] and "MAP_SHARED" in arguments[3] and \
                    arguments[4] in self.files:
                raise ValueError("a file is written through a mapping")
        elif not arguments or arguments[0] in self.files or (
                isinstance(arguments[0], bytes) and self._inside(arguments[0]) is not None):
            raise ValueError(f"{call} is not followed here")

    def _openat(self, result, folder, path, flags, _mode="0"):
        if folder != "AT_FDCWD":
            raise ValueError(f"a path relative to {folder}")
        inside = self._inside(path)
        if inside is None:
            return
        self.files[str(result)] = [inside, 0, "O_APPEND" in flags]
        if "O_CREAT" in flags:
            self.ops.append(Op("create", inside))
        if "O_TRUNC" in flags:
            self.ops.append(Op("truncate", inside))

    def _close(self, _result, fd):
        self.files.pop(fd, None)

    def _dup(self, result, fd, *_more):
        if fd in self.files:
            self.files[str(result)] = self.files[fd]

    _dup2 = _dup3 = _dup

    def _fcntl(self, result, fd, command, *_more):
        if command.startswith("F_DUPFD"):
            self._dup(result, fd)

    def _lseek(self, result, fd, *_more):
        if fd in self.files:
            self.files[fd][1] = result

    def _write(self, result, fd, data, _size):
        if fd not in self.files:
            return
        path, offset, appends = self.files[fd]
        self.ops.append(Op("write", path, offset=None if appends else offset,
                           data=data[:result]))
        self.files[fd][1] += result

    def _pwrite64(self, result, fd, data, _size, offset):
        if fd in self.files:
            self.ops.append(Op("write", self.files[fd][0], offset=int(offset),
                               data=data[:result]))

    def _ftruncate(self, _result, fd, size):
        if fd in self.files:
            self.ops.append(Op("truncate", self.files[fd][0], size=int(size)))

    def _fsync(self, _result, fd):
        if fd in self.files:
            self.ops.append(Op("sync", self.files[fd][0]))

    _fdatasync = _fsync

    def _two_paths(self, kind, old, new):
        old, new = self._inside(old), self._inside(new)
        if (old is None) != (new is None):
            raise ValueError(f"{kind} over the folder's border")
        if old is not None:
            self.ops.append(Op(kind, old, new))
            if kind == "rename":
                for file in self.files.values():
                    file[0] = new if file[0] == old else file[0]

    def _rename(self, _result, old, new):
        self._two_paths("rename", old, new)

    def _renameat(self, _result, _a, old, _b, new, *_more):
        self._two_paths("rename", old, new)

    _renameat2 = _renameat

    def _link(self, _result, old, new):
        self._two_paths("link", old, new)

    def _linkat(self, _result, _a, old, _b, new, *_more):
        self._two_paths("link", old, new)

    def _unlink(self, _result, path):
        if self._inside(path) is not None:
            self.ops.append(Op("remove", self._inside(path)))

    def _unlinkat(self, result, _folder, path, *_more):
        self._unlink(result, path)

    def _mkdir(self, _result, path, _mode):
        if self._inside(path) is not None:
            self.ops.append(Op("mkdir", self._inside(path)))

    def _mkdirat(self, result, _folder, path, mode):
        self._mkdir(result, path, mode)


def record(command, folder, log, environment=None):
    """Runs a command of one process. Returns its exit status and its operations below the
    folder; log: a file for strace."""
    calls = ",".join(f"?{call}" for call in FOLLOWED + REFUSED)
    done = subprocess.run(
        ["strace", "-qq", "-xx", "-s", "100000000", "-o", str(log), "-e",
         f"trace={calls}", "-e", "signal=none", *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        timeout=TIMEOUT_S, check=False, env={**os.environ, **(environment or {})})
    reader = _Reader(folder)
    with open(log, encoding="ascii", errors="replace") as lines:
        for line in lines:
            reader.line(line)
    return done.returncode, done.stderr.decode(errors="replace"), reader.ops
