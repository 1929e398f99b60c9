import { cleanText } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { isObject } from '../payload.ts';

/** What the vendor says in an error body; empty when it says nothing readable. */
export interface VendorError {
  readonly code: number | null;
  /** `Message` and `Description`, the useful one, on one line. */
  readonly words: string;
  readonly imeis: readonly string[];
}

const longest = 300;
const mostImeis = 20;

const nothing: VendorError = Object.freeze({ code: null, words: '', imeis: Object.freeze([]) });

const codeOf = (value: unknown): number | null => {
  if (typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
};

const lineOf = (value: unknown): string =>
  typeof value === 'string'
    ? cleanText(
        value
          .slice(0, 2 * longest)
          .replaceAll(/[\s\p{Cc}]+/gu, ' ')
          .trim(),
        longest,
      )
    : '';

const imeisOf = (value: unknown): string[] => {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, mostImeis) : [value];
  return list
    .map((one) => (typeof one === 'number' ? String(one) : one))
    .filter((one): one is string => typeof one === 'string' && /^\d{1,20}$/.test(one));
};

const parsed = (answer: Pick<HttpAnswer, 'json'>): unknown => {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

/** Reads an error body, which may be absent, HTML, or JSON that is no object (device contract, section 5). */
export const readVendorError = (answer: Pick<HttpAnswer, 'json'>): VendorError => {
  const body = parsed(answer);
  if (!isObject(body)) return nothing;
  const words = [lineOf(body['Message']), lineOf(body['Description'])].filter(Boolean);
  return {
    code: codeOf(body['Code']),
    words: [...new Set(words)].join(': '),
    imeis: imeisOf(body['IMEI'] ?? body['Recipients']),
  };
};
