import { toRelayError } from '@ranger-relay/errors';

/** In place of a section that could not be made. */
export interface FailedSection {
  readonly error: string;
}

/** What something was asked for came to; each section that needs it says so by itself. */
export type Asked<T> = { readonly value: T } | FailedSection;

/** Asks, and keeps why it failed. @throws the signal's reason */
export const asked = async <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<Asked<T>> => {
  try {
    return { value: await ask() };
  } catch (error) {
    signal.throwIfAborted();
    return { error: toRelayError(error).message };
  }
};

/** A section made of what was asked for, or why there is none. */
export const section = <T, U>(found: Asked<T>, make: (value: T) => U): U | FailedSection =>
  'error' in found ? found : make(found.value);

/** Both, or why the first that failed did. */
export const both = <T, U>(first: Asked<T>, second: Asked<U>): Asked<readonly [T, U]> => {
  if ('error' in first) return first;
  return 'error' in second ? second : { value: [first.value, second.value] };
};

/** Each text once, in order. */
export const sorted = (texts: Iterable<string>): readonly string[] =>
  [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : Number(a > b)));

/** An object whose members are in order. */
export const inOrder = <T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> =>
  Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
