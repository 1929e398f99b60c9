import { decodeDone, type Done } from '../lanes.ts';
import type { ConsumeSettings } from './partition.ts';

/** Where a member goes on. */
export interface PartitionStart {
  /** The first undone record. */
  readonly offset: bigint;
  /** Undone records before it may have taken effect. */
  readonly maybeSentBelow: bigint;
  /** What is done from the offset on; null: nothing. */
  readonly done: Done | null;
}

/** What a member commits of a partition. */
export interface Commit {
  /** All records before it are done. */
  readonly offset: bigint;
  /** Undone records before it may have taken effect. */
  readonly announced: bigint;
  /** What is done from the offset on, as the scheduler writes it; empty: nothing. */
  readonly done: string;
}

/** A stored commit; `announced` is null when it was made by something else, which tells nothing of what it did. */
export interface StoredCommit extends Omit<Commit, 'announced'> {
  readonly announced: bigint | null;
}

/** The commit of a group that has read nothing before an offset. */
export const firstCommit = (offset: bigint): Commit => ({ offset, announced: offset, done: '' });

/** What is done of a partition; a word that tells of records behind its end is of records that were lost. */
export const doneIn = (word: string, end: bigint): Done | null => {
  const done = decodeDone(word);
  return done && done.position <= end ? done : null;
};

/** Where a member goes on after a stored commit. @param end of the partition, when it is taken over */
export const startAfter = (
  { offset, announced, done }: StoredCommit,
  end: bigint,
  { maybeSentAtTakeOver }: Pick<ConsumeSettings, 'maybeSentAtTakeOver'>,
): PartitionStart => ({
  offset,
  maybeSentBelow: maybeSentAtTakeOver === 'undone' ? end : (announced ?? end),
  done: doneIn(done, end),
});
