import { humanSpan } from '@ranger-relay/terminal';

/** Where a piece of configuration comes from, as the services would find it at this moment. */
export type Source =
  | { readonly from: 'platform' }
  /** Fresh in the cache; asked for again at the age of `fresh_seconds`. */
  | { readonly from: 'cache'; readonly age_seconds: number; readonly fresh_seconds: number }
  /** Old, but the platform could not be asked. */
  | { readonly from: 'last_known_good'; readonly age_seconds: number; readonly problem: string };

/** A piece of configuration; `value` is null when there is none. */
export interface Found<T> {
  readonly value: T;
  readonly source: Source;
}

/** A source in words; `absent` tells that what it says is that there is nothing. */
export const sourceWords = (source: Source, absent: boolean): string => {
  if (source.from === 'platform') return absent ? 'absent, says the platform now' : 'the platform, now';
  const age = `${humanSpan(source.age_seconds)} old`;
  if (source.from === 'cache') {
    const again = `asked for again at ${humanSpan(source.fresh_seconds)}`;
    return absent ? `absent, says a negative entry of the cache, ${age}, ${again}` : `the cache, ${age}, ${again}`;
  }
  return `${absent ? 'absent, says ' : ''}the last known good of the cache, ${age}; ${source.problem}`;
};
