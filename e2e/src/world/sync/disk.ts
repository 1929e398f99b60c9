import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Random } from '@ranger-relay/runtime';
import type { Disk, DiskFile } from 'sync-tool/src/run/machine.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Simulation } from '../simulation.ts';

/** One file. */
interface Inode {
  content: Buffer;
  /** What of it is on the platter. */
  synced: Buffer;
  mtimeMs: number;
  /** The machine whose writes are not synced. */
  writer: string;
}

/** A change of a folder that is not synced, and how to take it back. */
interface FolderChange {
  readonly machine: string;
  readonly folder: string;
  readonly revert: () => void;
}

/** A disk that processes of several machines share, as a network volume. */
export interface WorldDisk {
  /** The disk as a process of a machine uses it. */
  of(process: SimulatedProcess, machine: string): Disk;
  /** The power of a machine fails: an arbitrary part of what it wrote and did not sync is lost. */
  crash(machine: string): void;
  /** Puts a file there at once, synced. */
  put(path: string, content: string): void;
  /** Content of a file; undefined when it does not exist. */
  read(path: string): string | undefined;
  /** Content that a file would have after a crash that loses all that can be lost. */
  readSynced(path: string): string | undefined;
  /** Paths of the files in a folder, sorted. */
  list(folder: string): string[];
}

const failure = (code: string, syscall: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });

const statsOf = (inode: Inode | null): Stats => {
  const size = inode?.content.length ?? 0;
  const mtimeMs = inode?.mtimeMs ?? 0;
  const members = { size, mtimeMs, uid: 1_000, isFile: () => inode !== null, isDirectory: () => inode === null };
  return members as Stats;
};

/** As `statsOf`, with the members that show whether a file has changed. */
const exactStatsOf = ({ content, mtimeMs }: Inode) => {
  const time = BigInt(Math.round(mtimeMs * 1_000));
  return { size: BigInt(content.length), mtimeNs: time, ctimeNs: time, isFile: () => true };
};

const cut = (content: Buffer, random: Random, from: number): Buffer =>
  content.subarray(0, from + Math.floor(random.next() * (content.length - from + 1)));

/** Creates an empty disk. */
export const createWorldDisk = (simulation: Simulation): WorldDisk => {
  const { clock } = simulation;
  const random = simulation.chance('disk');
  const files = new Map<string, Inode>();
  const folders = new Set(['/']);
  let unsynced: FolderChange[] = [];
  const addFolder = (path: string): void => {
    for (let each = path; !folders.has(each); each = dirname(each)) folders.add(each);
  };
  const fileAt = (path: string, syscall: string): Inode => {
    const inode = files.get(path);
    if (!inode) throw failure(folders.has(path) ? 'EISDIR' : 'ENOENT', syscall, path);
    return inode;
  };
  const nodeAt = (path: string, syscall: string): Inode | null => (folders.has(path) ? null : fileAt(path, syscall));
  const listOf = (folder: string): string[] =>
    [...files.keys(), ...folders].filter((path) => path !== '/' && dirname(path) === folder).toSorted();

  const diskOf = (process: SimulatedProcess, machine: string): Disk => {
    const call = <T>(what: string, path: string, act: () => T): Promise<T> =>
      process.call('disk', `${what} ${path}`, act);
    const changed = (path: string, revert: () => void): void =>
      void unsynced.push({ machine, folder: dirname(path), revert });
    const set = (inode: Inode, content: Buffer): void => {
      inode.content = content;
      inode.mtimeMs = clock.now();
      inode.writer = machine;
    };
    const create = (path: string): Inode => {
      if (!folders.has(dirname(path))) throw failure('ENOENT', 'open', path);
      const inode = { content: Buffer.alloc(0), synced: Buffer.alloc(0), mtimeMs: clock.now(), writer: machine };
      files.set(path, inode);
      changed(path, () => files.get(path) === inode && files.delete(path));
      return inode;
    };
    const openNow = (path: string, flags: string | number): Inode | null => {
      if (folders.has(path)) return null;
      const there = files.get(path);
      if (flags === 'wx' && there) throw failure('EEXIST', 'open', path);
      if (there || typeof flags === 'number' || flags.startsWith('r')) return fileAt(path, 'open');
      return create(path);
    };
    const sync = (path: string, inode: Inode | null): void => {
      if (inode) inode.synced = inode.content;
      else unsynced = unsynced.filter((change) => change.folder !== path || change.machine !== machine);
    };
    const handleOf = (path: string, inode: Inode | null): DiskFile => {
      const file = inode ?? fileAtNothing;
      let at = 0;
      const handle = {
        read: (buffer: Buffer, offset: number, length: number, position: number | null) =>
          call('read', path, () => {
            const bytesRead = file.content.copy(buffer, offset, position ?? at, (position ?? at) + length);
            if (position === null) at += bytesRead;
            return { bytesRead };
          }),
        writeFile: (text: string) => call('write', path, () => set(file, Buffer.from(text))),
        appendFile: (text: string) =>
          call('append', path, () => set(file, Buffer.concat([file.content, Buffer.from(text)]))),
        stat: (options?: object) => call('stat', path, () => (options ? exactStatsOf(file) : statsOf(inode))),
        sync: () => call('sync', path, () => sync(path, inode)),
        datasync: () => call('sync', path, () => sync(path, inode)),
        close: async () => undefined,
      };
      return handle as DiskFile;
    };
    return {
      access: (path) => call('access', path, () => void nodeAt(path, 'access')),
      lstat: (path) => call('lstat', path, () => statsOf(nodeAt(path, 'lstat'))),
      stat: (path) => call('stat', path, () => statsOf(nodeAt(path, 'stat'))),
      realpath: (path) => call('realpath', path, () => (nodeAt(path, 'realpath'), path)),
      readdir: (path) =>
        call('readdir', path, () => {
          if (!folders.has(path)) throw failure('ENOENT', 'readdir', path);
          return listOf(path).map((each) => basename(each));
        }),
      mkdir: (path) =>
        call('mkdir', path, () => {
          if (folders.has(path)) throw failure('EEXIST', 'mkdir', path);
          if (!folders.has(dirname(path))) throw failure('ENOENT', 'mkdir', path);
          folders.add(path);
        }),
      open: (path, flags = 'r') => call('open', path, () => handleOf(path, openNow(path, flags))),
      readFile: (path) => call('readFile', path, () => fileAt(path, 'open').content.toString()),
      writeFile: (path, text) => call('writeFile', path, () => set(files.get(path) ?? create(path), Buffer.from(text))),
      unlink: (path) =>
        call('unlink', path, () => {
          const inode = fileAt(path, 'unlink');
          files.delete(path);
          changed(path, () => files.has(path) || files.set(path, inode));
        }),
      rename: (from, to) =>
        call('rename', to, () => {
          const [inode, replaced] = [fileAt(from, 'rename'), files.get(to)];
          files.delete(from);
          files.set(to, inode);
          changed(to, () => {
            if (files.get(to) !== inode) return;
            files.set(from, inode);
            if (replaced) files.set(to, replaced);
            else files.delete(to);
          });
        }),
    };
  };

  return {
    of: diskOf,
    crash(machine) {
      const mine = unsynced.filter((change) => change.machine === machine);
      const lost = mine.slice(Math.floor(random.next() * (mine.length + 1)));
      for (const { revert } of lost.toReversed()) revert();
      unsynced = unsynced.filter((change) => change.machine !== machine);
      for (const inode of files.values()) {
        const { content, synced, writer } = inode;
        if (writer !== machine || content === synced) continue;
        const kept = content.subarray(0, synced.length).equals(synced) ? synced.length : 0;
        inode.content = inode.synced = cut(content, random, kept);
      }
    },
    put(path, text) {
      addFolder(dirname(path));
      const content = Buffer.from(text);
      files.set(path, { content, synced: content, mtimeMs: clock.now(), writer: '' });
    },
    read: (path) => files.get(path)?.content.toString(),
    readSynced: (path) => files.get(path)?.synced.toString(),
    list: listOf,
  };
};

/** Stands for the content of a folder that is opened to sync it. */
const fileAtNothing: Inode = { content: Buffer.alloc(0), synced: Buffer.alloc(0), mtimeMs: 0, writer: '' };
