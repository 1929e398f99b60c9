import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOf, RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';
import { z } from 'zod';
import { isAbsent, statOf, setAside, type StorePaths, writeAtomically } from './files.ts';

const version = 1;

const addressesSchema = z.object({
  status: z.url(),
  ingester: z.url(),
  forwarder: z.url(),
  /** Null when the services with actions are off. */
  pusher: z.url().nullable(),
  runner: z.url().nullable(),
});

const ownerSchema = z.object({
  /** Of this run of the process; its answers carry the same. */
  id: z.uuid(),
  pid: z.int().positive(),
  /** Device and inode of the lock that it holds. */
  lock: z.string().optional(),
  /** Null until everything has started. */
  addresses: addressesSchema.nullable(),
});

/** Where the parts of a running `up` listen, without a last slash. */
export type Addresses = z.infer<typeof addressesSchema>;

/** An `up` that works on a DATA_DIR. */
export type Owner = Readonly<z.infer<typeof ownerSchema>>;

const markerSchema = z.object({
  version: z.literal(version),
  instance_id: z.uuid(),
  /** When the directory was first used. */
  created_at: z.iso.datetime(),
  /** Since when the directory has a bus or a store; null as long as none was ever opened. */
  bus_since: z.iso.datetime().nullable(),
  kv_since: z.iso.datetime().nullable(),
  /** Kind of platform of its events; null where the marker was lost, until a start has found it out. */
  platform: z.enum(['real', 'simulated']).nullable().default(null),
  /** The last process that had the lock; a killed one leaves itself behind, so it counts while the lock is held. */
  owner: ownerSchema.nullable().catch(null).default(null),
});

/** State of a directory, so that a missing file is not mistaken for a first start. Times are ISO 8601. */
export type Marker = Readonly<z.infer<typeof markerSchema>>;

/** Kind of platform that a directory works with. */
export type PlatformKind = NonNullable<Marker['platform']>;

/** A marker, with warnings for the user. */
export interface ReadMarker {
  readonly marker: Marker;
  readonly warnings: readonly string[];
  /** What the directory holds; a damaged one stays there until `writeFirstMarker`. */
  readonly found: 'stored' | 'missing' | 'damaged';
}

/** Path of the marker of a directory. */
export const markerPath = (directory: string): string => join(directory, 'store.json');

/** Replaces the marker of a directory, durably. */
export const writeMarker = (directory: string, marker: Marker): Promise<void> =>
  writeAtomically(markerPath(directory), `${JSON.stringify(marker, null, 2)}\n`);

const refuseNewer = (directory: string, found: unknown): void => {
  const newer = z.looseObject({ version: z.int().gt(version) }).safeParse(found);
  if (!newer.success) return;
  const problem = `a newer ranger-relay wrote it (format ${newer.data.version}, this one reads ${version})`;
  throw new RelayError('data_dir_unusable', { details: { path: directory, problem } });
};

const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

interface Making {
  readonly clock: Clock;
  readonly random: Random;
}

const fresh = (since: { bus: string | null; kv: string | null }, { clock, random }: Making): Marker => ({
  version,
  instance_id: random.uuid(),
  created_at: since.bus ?? new Date(clock.now()).toISOString(),
  bus_since: since.bus,
  kv_since: since.kv,
  platform: null,
  owner: null,
});

/**
 * Reads the marker of a directory, or makes the first one, and changes nothing. If the marker is damaged, or lost while files of a store exist,
 * the directory counts as used, so that a missing bus is detected.
 * @throws RelayError `data_dir_unusable` when a newer version wrote it
 */
export const readOrMakeMarker = async (directory: string, paths: StorePaths, making: Making): Promise<ReadMarker> => {
  const path = markerPath(directory);
  const text = await textOf(path);
  const value = text === undefined ? undefined : jsonOf(text);
  refuseNewer(directory, value);
  const parsed = markerSchema.safeParse(value);
  if (parsed.success) return { marker: parsed.data, warnings: [], found: 'stored' };

  const bus = (await statOf(paths.bus))?.changedAt ?? null;
  const kv = (await statOf(paths.kv))?.changedAt ?? null;
  if (text === undefined) {
    // The store's file is created after that of the bus, so it proves that a bus existed.
    const marker = fresh({ bus: bus ?? kv, kv }, making);
    const used = marker.bus_since !== null;
    const warnings = used ? [`${path} was missing; it was recreated from the files beside it.`] : [];
    return { marker, warnings, found: 'missing' };
  }
  const since = (await statOf(path))?.changedAt ?? null;
  const marker = fresh({ bus: bus ?? since, kv: kv ?? since }, making);
  return { marker, warnings: [`${path} was unreadable; it was set aside and recreated.`], found: 'damaged' };
};

/** Writes the first marker; what is in its place, and cannot be read, is set aside. */
export const writeFirstMarker = async (directory: string, marker: Marker, clock: Clock): Promise<void> => {
  if (await statOf(markerPath(directory))) await setAside(markerPath(directory), clock);
  await writeMarker(directory, marker);
};

/** The marker of a directory, without changing anything; undefined where there is none that can be read. */
export const readMarker = async (directory: string): Promise<Marker | undefined> => {
  const text = await textOf(markerPath(directory)).catch(() => undefined);
  return markerSchema.safeParse(text === undefined ? undefined : jsonOf(text)).data;
};
