# SPDX-License-Identifier: MIT
"""What a medium may hold after a power cut.

A Disk takes the operations of oplog.py and knows of each file and folder what is durable
and what is still under way. states() builds every content that may be found after the
power was cut now.

The rules are no kinder than those of ext4 and vfat on the card; where they are stricter
than ext4 (which keeps an order over folders, too) a program that bears them bears it.
- What a file was written since its last fsync may be there up to any of its writes; of the
  last one a part, or its length with zeros, or, where it crosses a page, either side of the
  page border alone. Four bytes within one sector are there or not.
- A file's fsync makes its content last, and not its name.
- A folder's operations last when the folder was synced. Before that: with a journal (ext4)
  those up to any one of them; without (vfat) any of them without the others.
- vfat: a file's length stands in its folder's entry. A file that was renamed may be found
  empty under its new name, until it was itself synced after that. A file that is being
  removed may still have its name and be empty or hold anything. A file that was not synced
  may have its length and anything in it.
- Two file systems, or two folders, keep no order between them.
"""
import itertools
import posixpath

PAGE_BYTES = 4096
SECTOR_BYTES = 512
GARBAGE = b"\xe5garbage of a deleted file\n"
STATES_MAX = 20000  # of one instant: beyond it something is never synced


class DiskError(Exception):
    """An operation that cannot have happened on this disk, or states without bound."""


class File:
    """A file's content: durable, and the writes and truncations since."""

    def __init__(self, content=b""):
        self.durable, self.content, self.pending = content, content, []
        self.length_unsure = False  # renamed on vfat

    def apply(self, op):
        self.content = self._applied(self.content, op)
        self.pending.append(op)

    @staticmethod
    def _applied(content, op):
        if op.kind == "truncate":
            return content[:op.size].ljust(op.size, b"\0")
        start = len(content) if op.offset is None else op.offset
        content = content.ljust(start, b"\0")
        return content[:start] + op.data + content[start + len(op.data):]

    def sync(self):
        self.durable, self.pending, self.length_unsure = self.content, [], False

    def contents(self, vfat, removing=False):
        """Every content that may be found."""
        found, content = {self.durable}, self.durable
        for op in self.pending:
            if op.kind == "write":
                found.update(self._torn(content, op))
            content = self._applied(content, op)
            found.add(content)
        if vfat and (removing or any(len(c) > len(self.durable) for c in found)):
            found.update({b"", (GARBAGE * len(content))[:len(content)]})
        if self.length_unsure:
            found.add(b"")
        return found

    def _torn(self, content, op):
        data, start = op.data, len(content) if op.offset is None else op.offset
        if start // SECTOR_BYTES == (start + len(data) - 1) // SECTOR_BYTES and \
                start + len(data) <= len(content):
            return  # within one sector
        for cut in {1, len(data) // 2, len(data) - 1} - {0, len(data)}:
            yield self._applied(content, op._replace(offset=start, data=data[:cut]))
            if start + len(data) > len(content):
                yield self._applied(content, op._replace(
                    offset=start, data=data[:cut] + bytes(len(data) - cut)))
        if start + len(data) > len(content):
            yield self._applied(content, op._replace(offset=start, data=bytes(len(data))))
        border = (start // PAGE_BYTES + 1) * PAGE_BYTES - start
        if border < len(data):
            hole = content[start:start + border].ljust(border, b"\0")
            yield self._applied(content, op._replace(offset=start, data=data[:border]))
            yield self._applied(content, op._replace(offset=start, data=hole + data[border:]))


class Folder:
    """A folder's names: durable, and the operations since."""

    def __init__(self):
        self.durable, self.names, self.pending = {}, {}, []

    @staticmethod
    def _applied(names, op):
        kind, name, value = op
        names = dict(names)
        if kind == "add":
            names[name] = value
        elif kind == "remove":
            names.pop(name, None)
        elif name in names:  # rename
            names[value] = names.pop(name)
        return names

    def apply(self, *op):
        self.names = self._applied(self.names, op)
        self.pending.append(op)

    def sync(self):
        self.durable, self.pending = self.names, []

    def versions(self, vfat):
        """Every set of names that may be found, with the names that are being removed."""
        count = len(self.pending)
        if vfat:
            chosen = itertools.chain.from_iterable(
                itertools.combinations(range(count), n) for n in range(count + 1))
        else:
            chosen = (range(n) for n in range(count + 1))
        for these in chosen:
            names = self.durable
            for i in these:
                names = self._applied(names, self.pending[i])
            removing = {op[1] for i, op in enumerate(self.pending)
                        if op[0] == "remove" and i not in these}
            yield names, removing


class Link(str):
    """A symbolic link's target."""


class Disk:
    """File systems below one folder; vfat: the paths where one of that kind begins."""

    def __init__(self, contents, vfat=("boot/firmware",)):
        self.root, self.vfat = Folder(), vfat
        for path, content in sorted(contents.items()):
            folder = self._folder(posixpath.dirname(path), make=True)
            if content is None:
                self._folder(path, make=True)
            else:
                folder.names[posixpath.basename(path)] = \
                    content if isinstance(content, Link) else File(content)
        self.sync_all()

    def _is_vfat(self, path):
        return any(path == begin or path.startswith(f"{begin}/") for begin in self.vfat)

    def _folder(self, path, make=False):
        folder = self.root
        for name in path.split("/") if path else ():
            if make and name not in folder.names:
                folder.names[name] = Folder()
            folder = folder.names.get(name)
            if not isinstance(folder, Folder):
                raise DiskError(f"no folder {path}")
        return folder

    def _at(self, path):
        folder, name = posixpath.split(path)
        found = self._folder(folder).names.get(name)
        if found is None:
            raise DiskError(f"no file {path}")
        return found

    def apply(self, op):
        getattr(self, f"_do_{op.kind}")(op)

    def _do_create(self, op):
        folder, name = posixpath.split(op.path)
        if name not in self._folder(folder).names:
            self._folder(folder).apply("add", name, File())

    def _do_mkdir(self, op):
        folder, name = posixpath.split(op.path)
        self._folder(folder).apply("add", name, Folder())

    def _do_write(self, op):
        self._at(op.path).apply(op)

    def _do_truncate(self, op):
        if op.size != len(self._at(op.path).content):
            self._at(op.path).apply(op)

    def _do_sync(self, op):
        self._at(op.path).sync()

    def _do_remove(self, op):
        self._at(op.path)
        folder, name = posixpath.split(op.path)
        self._folder(folder).apply("remove", name, None)

    def _do_link(self, op):
        folder, name = posixpath.split(op.other)
        self._folder(folder).apply("add", name, self._at(op.path))

    def _do_rename(self, op):
        folder, name = posixpath.split(op.path)
        if posixpath.dirname(op.other) != folder:
            raise DiskError(f"{op.path} is renamed into another folder")
        file = self._at(op.path)
        if self._is_vfat(op.path) and isinstance(file, File):
            file.length_unsure = True
        self._folder(folder).apply("rename", name, posixpath.basename(op.other))

    def _walk(self):
        """Every folder that is or was there, and every file."""
        todo, seen = [("", self.root)], set()
        while todo:
            path, node = todo.pop()
            yield path, node
            if not isinstance(node, Folder):
                continue
            values = [*node.names.items(), *node.durable.items(),
                      *((op[1], op[2]) for op in node.pending if op[0] == "add")]
            for name, value in values:
                if not isinstance(value, Link) and id(value) not in seen:
                    seen.add(id(value))
                    todo.append((posixpath.join(path, name), value))

    def sync_all(self):
        """A clean shutdown."""
        for _, node in self._walk():
            node.sync()

    def contents(self):
        """What is there now: path to bytes, Link or None (a folder)."""
        return self._tree(self.root, "", lambda folder: folder.names,
                          lambda file: file.content)

    def _tree(self, folder, path, names_of, content_of):
        found = {}
        for name, value in names_of(folder).items():
            here = posixpath.join(path, name)
            if isinstance(value, Folder):
                found[here] = None
                found.update(self._tree(value, here, names_of, content_of))
            else:
                found[here] = value if isinstance(value, Link) else content_of(value)
        return found

    def states(self):
        """Every content of the disk that a power cut now may leave, as contents() has it."""
        folders, files, count = [], [], 1
        for path, node in list(self._walk()):
            if isinstance(node, Folder) and node.pending:
                folders.append((node, list(node.versions(self._is_vfat(path)))))
                count *= len(folders[-1][1])
        removing = {id(node.durable[name]) for node, versions in folders
                    for _, names in versions for name in names if name in node.durable}
        for path, node in list(self._walk()):
            vfat = self._is_vfat(path)
            if isinstance(node, File) and (
                    node.pending or node.length_unsure or vfat and id(node) in removing):
                files.append((node, sorted(node.contents(vfat, id(node) in removing))))
                count *= len(files[-1][1])
        if count > STATES_MAX:
            raise DiskError(f"{count} states of one instant: what is never synced?")
        for names in itertools.product(*(versions for _, versions in folders)):
            chosen = {id(folder): version[0] for (folder, _), version in zip(folders, names)}
            for contents in itertools.product(*(versions for _, versions in files)):
                found = {id(file): c for (file, _), c in zip(files, contents)}
                yield self._tree(self.root, "",
                                 lambda folder: chosen.get(id(folder), folder.durable),
                                 lambda file: found.get(id(file), file.durable))
