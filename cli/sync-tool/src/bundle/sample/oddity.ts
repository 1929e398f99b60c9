import type { ManifestHead, SampleRecord } from './json.ts';
import type { FileStyle } from './record-file.ts';
import type { World } from './vocabulary.ts';

/** Something odd that a bundle may hold and stay valid. Each part is optional. */
export interface Oddity {
  readonly style?: FileStyle;
  /** Changes the head of the manifest. */
  readonly head?: (head: ManifestHead) => ManifestHead;
  /** Changes a record of a kind. */
  readonly change?: (kind: string, record: SampleRecord, position: number, world: World) => SampleRecord;
  /** Adds records to a kind, or a kind that no sample has. */
  readonly extra?: Readonly<Record<string, (world: World) => readonly SampleRecord[]>>;
  /** Changes the line of a record. */
  readonly line?: (kind: string, line: string, position: number) => string;
}

/** An oddity of every third record of some kinds. */
export const ofSome = (
  kinds: readonly string[],
  change: (record: SampleRecord, position: number) => SampleRecord,
): Oddity => ({
  change: (kind, record, position) => (kinds.includes(kind) && position % 3 === 0 ? change(record, position) : record),
});
