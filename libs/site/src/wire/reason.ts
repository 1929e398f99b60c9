import { cutText } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { isObject, unwrap } from './envelope.ts';

const longest = 300;
const mostWords = 5;
/** An excerpt up to this length is whole, and then it is JSON when the body was. */
const wholeExcerpt = 3_900;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Every text in a refusal with the place where it stands. */
const wordsIn = (value: unknown, place: readonly string[] = []): string[] => {
  if (typeof value === 'string') return [place.length > 0 ? `${place.join('.')}: ${value}` : value];
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string')) return value.length > 0 ? wordsIn(value.join(' '), place) : [];
    return value.flatMap((item: unknown, index) => wordsIn(item, place.concat(String(index))));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => wordsIn(item, place.concat(name)));
};

const statusWords = (body: unknown): string | undefined => {
  const status = isObject(body) ? body['status'] : undefined;
  if (!isObject(status)) return undefined;
  const text = status['detail'] ?? status['message'];
  return typeof text === 'string' ? text : undefined;
};

const withoutStatus = (payload: unknown): unknown =>
  isObject(payload) ? Object.fromEntries(Object.entries(payload).filter(([name]) => name !== 'status')) : payload;

/**
 * Why the site refuses, in its own words: the refused members with their texts, else the detail of the status, else the beginning of the
 * body (site contract, 1, errors). The excerpt that this is taken from has secrets masked already.
 */
export const reasonOf = (answer: Pick<HttpAnswer, 'excerpt'>): string => {
  const excerpt = answer.excerpt(wholeExcerpt);
  const body = parse(excerpt);
  const words = wordsIn(withoutStatus(unwrap(body))).slice(0, mostWords);
  const text = words.join('; ') || statusWords(body) || excerpt || 'without a word';
  return cutText(text, longest, '…');
};
