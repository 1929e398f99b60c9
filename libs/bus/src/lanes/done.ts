import { hash } from 'node:crypto';
import { firstUndone, type LaneRecord, type LanesState } from './state.ts';

/**
 * What is done behind the committed offset where each key is a lane: every record before `position`, but those of a waiting key from its offset
 * on. Records of a key are done in order, so this is all there is to know.
 */
export interface Done {
  readonly position: bigint;
  /** First undone record of each waiting key, by `keyName`. */
  readonly waiting: ReadonlyMap<string, bigint>;
}

/** Most keys that a commit names: Kafka takes 4,096 bytes with an offset. What is done behind more is delivered again. */
const maxWaiting = 200;
const nameLength = 8;

/** Short name of a key in a commit. Two keys of one name wait together: records of one may be delivered again, none is left out. */
export const keyName = (key: string): string => hash('sha256', key, 'base64url').slice(0, nameLength);

/** The offset before which all records of a key are done, as far as is told. */
export const undoneFrom = (done: Done | null, key: string): bigint =>
  done === null ? 0n : (done.waiting.get(keyName(key)) ?? done.position);

/** Whether a record is done. */
export const isDone = (done: Done | null, { offset, key }: Pick<LaneRecord, 'offset' | 'key'>): boolean =>
  done !== null && offset < done.position && offset < undoneFrom(done, key);

/** The first undone record of a key. */
interface FirstUndone {
  readonly offset: bigint;
  /** Costs a hash. */
  readonly name: () => string;
}

/** First undone records: of the lanes, and of what an earlier owner left that was not fetched yet. */
const undoneOf = <R extends LaneRecord>({ lanes, position, options }: LanesState<R>): FirstUndone[] => {
  const ofLanes = [...lanes].map(([key, lane]) => ({
    offset: firstUndone(lane)?.offset ?? position,
    name: () => keyName(key),
  }));
  const { done } = options;
  if (!done || done.position <= position) return ofLanes;
  const left = [...done.waiting].map(([name, offset]) => ({
    offset: offset < position ? position : offset,
    name: () => name,
  }));
  return [...ofLanes, ...left];
};

/** What is done of a partition; null where its lanes are not keys. */
export const doneOf = <R extends LaneRecord>(state: LanesState<R>): Done | null => {
  const { options, apart, withheld } = state;
  if (options.laneOf !== 'key' || apart.size > 0) return null;
  const undone = undoneOf(state).toSorted((a, b) => Number(a.offset - b.offset));
  let position = options.done && options.done.position > state.position ? options.done.position : state.position;
  const waiting = new Map<string, bigint>();
  for (const { offset, name } of undone) {
    if (offset >= position) break;
    const known = name();
    if (waiting.has(known)) continue;
    if (waiting.size < maxWaiting) waiting.set(known, offset);
    else position = offset;
  }
  for (const offset of withheld) if (offset < position) position = offset;
  return { position, waiting: new Map([...waiting].filter(([, offset]) => offset < position)) };
};

const numberOf = (text: string): bigint =>
  [...text].reduce((sum, digit) => sum * 36n + BigInt(parseInt(digit, 36)), 0n);

/** Writes what is done as one word, of at most 3,300 characters up to an offset of 78 × 10⁹; empty where it is not known. */
export const encodeDone = (done: Done | null): string =>
  done ? [done.position.toString(36), ...[...done.waiting].map(([name, at]) => name + at.toString(36))].join('~') : '';

const form = /^[0-9a-z]{1,13}(?:~[\w-]{8}[0-9a-z]{1,13})*$/;

/** Reads what `encodeDone` wrote; anything else says that nothing is done. */
export const decodeDone = (text: string): Done | null => {
  if (!form.test(text)) return null;
  const [position = '', ...waiting] = text.split('~');
  return {
    position: numberOf(position),
    waiting: new Map(waiting.map((each) => [each.slice(0, nameLength), numberOf(each.slice(nameLength))])),
  };
};
