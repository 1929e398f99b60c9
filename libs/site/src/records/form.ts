import { RelayError } from '@ranger-relay/errors';
import { parseExactJson } from '../exact-json.ts';
import type { FormDocument, Site } from '../port.ts';
import { isObject, unreadable } from '../client/failure.ts';
import { update } from './update.ts';
import { type Reply, send, type SiteClient, type SiteRequest } from '../client/client.ts';

const deepest = 3;

const parse = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
};

const maxNested = 200;

/** Whether a value is nested deeper than any form; later traversal must not overflow the stack. */
const isTooNested = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxNested) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};

/**
 * Extracts the document from the stored value: the document itself, its JSON text, or either of them under `schema` of a record (site
 * contract, 5). Null when there is no document (null, `{}`, an empty text, a record without `schema`). `unknown` when the value has another
 * form, which must not be treated as missing.
 */
const storedForm = (value: unknown, depth = deepest): FormDocument | null | 'unknown' => {
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

/** Whether the value is one half of a document, or a schema without its other half; a record with other members contains no form. */
const looksStored = (value: Readonly<Record<string, unknown>>): boolean =>
  ['json', 'ui', 'properties'].some((name) => Object.hasOwn(value, name));

/** The path of the form record; the document alone is at a path below. The rendered form, with `pre_render`, is never requested. */
const recordPath = 'activity/patrols/segments/types/default/';
const documentPath = `${recordPath}schema/`;

const get = (client: SiteClient, path: string): Promise<Reply> => send(client, { method: 'GET', path }, [404, 405]);

/** Reads the record first; if it is missing or has no document, reads the document's own path. */
const readForm = async (client: SiteClient): Promise<FormDocument | null> => {
  let odd: string | undefined;
  for (const path of [recordPath, documentPath]) {
    const reply = await get(client, path);
    const stored = reply.ok ? storedForm(reply.payload()) : null;
    if (stored === 'unknown') odd = reply.target;
    else if (stored) return stored;
  }
  if (odd !== undefined) throw unreadable(odd, 'a form is stored in a shape that is not known');
  return null;
};

/** The current values of the record's members that a refusal requires. */
const membersAskedFor = async (client: SiteClient, refused: Reply): Promise<Record<string, unknown>> => {
  const refusal = refused.payload();
  if (!isObject(refusal)) return {};
  const names = Object.keys(refusal).filter((name) => name !== 'schema' && name !== 'status');
  if (names.length === 0) return {};
  const reply = await get(client, recordPath);
  const record = reply.ok ? reply.payload() : undefined;
  if (!isObject(record)) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]));
};

/** The members of the form record that are written. */
interface Stored {
  readonly schema: FormDocument | null;
}

const writeForm = async (
  client: SiteClient,
  document: FormDocument,
  present: FormDocument | null,
  readAt?: number,
): Promise<void> => {
  const changes = { schema: { json: document.json, ui: document.ui } };
  const put = (members: Record<string, unknown>): SiteRequest => ({
    method: 'PUT',
    path: recordPath,
    json: { ...members, ...changes },
  });
  const look = async (): Promise<Stored> => ({ schema: await readForm(client) });
  const replace = (request: SiteRequest) => ({ request, present: { schema: present }, changes, readAt, look });
  const refused = await update(client, replace(put({})), [400]);
  if (!refused) return;
  const members = await membersAskedFor(client, refused).catch((error: unknown) => {
    // If the refusal cannot be parsed, it is reported unchanged.
    if (error instanceof RelayError && error.code === 'site_answer_unreadable') return {};
    throw error;
  });
  if (Object.keys(members).length === 0) throw refused.refusal();
  await update(client, replace(put(members)));
};

/** The universal patrol fields (site contract, 5). */
export const formCalls = (client: SiteClient): Pick<Site, 'form' | 'writeForm'> => ({
  form: () => readForm(client),
  writeForm: (document, present, readAt) => writeForm(client, document, present, readAt),
});
