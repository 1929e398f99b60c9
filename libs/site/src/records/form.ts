import { isObject, parseExactJson, RelayError } from '@ranger-relay/errors';
import type { FormDocument, Site } from '../port.ts';
import { unreadable } from '../client/failure.ts';
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
 * The stored document, or its JSON text. Null when there is none, which only null and `{}` say; undefined for any other value, which must
 * not be treated as missing (site contract, 5).
 */
const documentIn = (value: unknown, depth = deepest): FormDocument | null | undefined => {
  if (value === null) return null;
  if (typeof value === 'string') return depth === 0 ? undefined : documentIn(parse(value), depth - 1);
  if (!isObject(value)) return undefined;
  if (Object.keys(value).length === 0) return null;
  const { json, ui } = value;
  return isObject(json) && isObject(ui) && !isTooNested(value) ? { json, ui } : undefined;
};

/** The document under `schema` of a record, or the bare document. A record without the member does not show the document. */
const storedForm = (payload: unknown): FormDocument | null | undefined =>
  documentIn(isObject(payload) && Object.hasOwn(payload, 'schema') ? payload['schema'] : payload);

/** The path of the form record; the document alone is at a path below. The rendered form, with `pre_render`, is never requested. */
const recordPath = 'activity/patrols/segments/types/default/';
const documentPath = `${recordPath}schema/`;

/** Some sites show the document only on request. */
const get = (client: SiteClient, path: string): Promise<Reply> =>
  send(client, { method: 'GET', path, query: { include_schema: 'true' } }, [404, 405]);

/**
 * Reads the record; if there is no record, or it does not show the document, reads the document's own path. Without a document there either,
 * the site has none only if it has no record: a document that is not shown would be overwritten.
 * @throws RelayError `site_answer_unreadable`
 */
const readForm = async (client: SiteClient): Promise<FormDocument | null> => {
  const record = await get(client, recordPath);
  const stored = record.ok ? storedForm(record.payload()) : undefined;
  if (stored !== undefined) return stored;
  const reply = await get(client, documentPath);
  const alone = reply.ok ? storedForm(reply.payload()) : null;
  if (alone) return alone;
  if (alone === null && record.status === 404) return null;
  const { target } = alone === undefined ? reply : record;
  throw unreadable(target, 'it neither shows the stored form (`schema`) nor says that there is none');
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
  const look = async () => ({ schema: await readForm(client) });
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
