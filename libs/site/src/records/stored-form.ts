import type { FormDocument } from '../port.ts';
import { parseExactJson } from '../exact-json.ts';
import { isObject } from '../wire/envelope.ts';

const deepest = 3;

const parse = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
};

const mostNested = 200;

/** Whether a value is nested deeper than any form: whoever walks through it later must not run out of stack. */
const isTooNested = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > mostNested) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};

/**
 * The document in what a site stores: the document itself, the same as JSON text, or either of them under `schema` of a record (site
 * contract, 5). Null: there is none (null, `{}`, an empty text, a record without `schema`). `unknown`: something is there that is none
 * of these, and must not be taken for nothing.
 */
export const storedForm = (value: unknown, depth = deepest): FormDocument | null | 'unknown' => {
  if (value === null || value === undefined || value === '') return null;
  if (depth === 0) return 'unknown';
  if (typeof value === 'string') {
    const parsed = parse(value);
    return typeof parsed === 'string' ? 'unknown' : storedForm(parsed, depth - 1);
  }
  if (!isObject(value)) return 'unknown';
  const { json, ui } = value;
  if (isObject(json) && isObject(ui)) return isTooNested(value) ? 'unknown' : { json, ui };
  if (Object.hasOwn(value, 'schema')) return storedForm(value['schema'], depth - 1);
  return looksStored(value) ? 'unknown' : null;
};

/** One half of a document, or a schema without its other half; a record of other members holds no form. */
const looksStored = (value: Readonly<Record<string, unknown>>): boolean =>
  ['json', 'ui', 'properties'].some((name) => Object.hasOwn(value, name));
