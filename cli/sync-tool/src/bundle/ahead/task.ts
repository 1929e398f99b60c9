import type { FileFacts } from '../files/read-lines.ts';
import type { PartUsage } from '../patrols/usage-reader.ts';

/** A file of a bundle. */
export interface AheadFile {
  /** The real path of the bundle, and the file's path in it. */
  readonly root: string;
  readonly path: string;
}

/** What a thread reads: the patrols of a file from the beginning of a line on. */
export interface AheadTask extends AheadFile {
  readonly from: number;
  /** About how many patrols there are from there on. */
  readonly expected: number;
  /** A canonical name. */
  readonly zone: string;
  /** Uuids of stations, transports, mandates and employees, in the order in which `PartUsage` has their uses. */
  readonly known: readonly (readonly string[])[];
  /** Keys of patrol classes. */
  readonly classes: readonly string[];
}

/** A warning; its line counts from the place where reading began. */
export interface AheadWarning {
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** Size and hash of a file that was as `WatchedFile.identity` says. */
export interface AheadFacts extends FileFacts {
  readonly identity: string;
}

/** What patrols use that were read ahead. */
export interface AheadResult {
  readonly records: number;
  readonly usage: PartUsage;
  readonly warnings: readonly AheadWarning[];
}

/** What a thread is asked for; each order has one answer. */
export type AheadOrder =
  { readonly kind: 'hash'; readonly file: AheadFile } | { readonly kind: 'read'; readonly task: AheadTask };
