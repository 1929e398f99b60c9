import { RelayError } from '@ranger-relay/errors';
import type { FormDocument, Site } from '../port.ts';
import { isObject } from '../wire/envelope.ts';
import { unreadable } from '../wire/refusals.ts';
import type { Reply } from '../wire/reply.ts';
import type { SiteRequest } from '../wire/request.ts';
import { send } from '../wire/send.ts';
import { update } from '../wire/update.ts';
import type { Wire } from '../wire/wire.ts';
import { storedForm } from './stored-form.ts';

/** The record of the form; the document alone lies in a path below. The rendered one, with `pre_render`, is never asked for. */
const recordPath = 'activity/patrols/segments/types/default/';
const documentPath = `${recordPath}schema/`;

const get = (wire: Wire, path: string): Promise<Reply> => send(wire, { method: 'GET', path }, [404, 405]);

/** The record first; where it is not there or holds no document, the document's own path. */
const readForm = async (wire: Wire): Promise<FormDocument | null> => {
  let odd: string | undefined;
  for (const path of [recordPath, documentPath]) {
    const reply = await get(wire, path);
    const stored = reply.ok ? storedForm(reply.payload()) : null;
    if (stored === 'unknown') odd = reply.target;
    else if (stored) return stored;
  }
  if (odd !== undefined) throw unreadable(odd, 'a form is stored in a shape that is not known');
  return null;
};

/** Members of the record, as they are now, that a refusal asks for. */
const membersAskedFor = async (wire: Wire, refused: Reply): Promise<Record<string, unknown>> => {
  const refusal = refused.payload();
  if (!isObject(refusal)) return {};
  const names = Object.keys(refusal).filter((name) => name !== 'schema' && name !== 'status');
  if (names.length === 0) return {};
  const reply = await get(wire, recordPath);
  const record = reply.ok ? reply.payload() : undefined;
  if (!isObject(record)) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]));
};

/** The record of the form as far as it is written. */
interface Stored {
  readonly schema: FormDocument | null;
}

const writeForm = async (wire: Wire, document: FormDocument, present: FormDocument | null): Promise<void> => {
  const changes = { schema: { json: document.json, ui: document.ui } };
  const put = (members: Record<string, unknown>): SiteRequest => ({
    method: 'PUT',
    path: recordPath,
    json: { ...members, ...changes },
  });
  const look = async (): Promise<Stored> => ({ schema: await readForm(wire) });
  const replace = (request: SiteRequest) => ({ request, present: { schema: present }, changes, look });
  const refused = await update(wire, replace(put({})), [400]);
  if (!refused) return;
  const members = await membersAskedFor(wire, refused).catch((error: unknown) => {
    // A refusal that cannot be read stays the refusal that it is.
    if (error instanceof RelayError && error.code === 'site_answer_unreadable') return {};
    throw error;
  });
  if (Object.keys(members).length === 0) throw refused.refusal();
  await update(wire, replace(put(members)));
};

/** The universal patrol fields (site contract, 5). */
export const formCalls = (wire: Wire): Pick<Site, 'form' | 'writeForm'> => ({
  form: () => readForm(wire),
  writeForm: (document, present) => writeForm(wire, document, present),
});
