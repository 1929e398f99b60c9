import { type Body } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { clash, created, deleted, failed, ok, refused } from '../answers/envelope.ts';
import { flag, object, overlong, refusal, type Rule, taken, text } from '../answers/fields.ts';
import { permissions, seesSubject, visibleSubjects } from '../permissions.ts';
import type { Subject } from '../state/records.ts';
import { asks, type Call, pageOf, type Route, type Run, withObject } from './call.ts';

const columns = { name: 100 };
const writable = ['name', 'subject_subtype', 'is_active', 'additional'] as const;

/** A subject as lists and answers show it, with members beside those that are kept. */
export const showSubject = (subject: Subject): object => ({
  ...subject,
  content_type: 'observations.subject',
  common_name: null,
  tracks_available: false,
  image_url: '/static/ranger.svg',
});

const problemOf = ({ store }: Call, body: Body, required: readonly string[]): SimulatedResponse | undefined => {
  const subtype: Rule = (value) =>
    text(value) ??
    (store.settings.subtypes.includes(String(value))
      ? undefined
      : `Object with value=${String(value)} does not exist.`);
  const rules = { name: text, subject_subtype: subtype, is_active: flag, additional: object };
  return refusal(body, rules, required) ?? overlong(body, columns);
};

const wantedIds = (query: URLSearchParams): ReadonlySet<string> | undefined => {
  const csv = query.get('id');
  return csv === null ? undefined : new Set(csv.split(',').map((id) => id.trim().toLowerCase()));
};

const list: Run = (call) => {
  const { store, token, query, switches } = call;
  const ids = visibleSubjects(store, token);
  const wanted = wantedIds(query);
  const group = query.get('subject_group');
  const isInGroup = (id: string): boolean => group === null || store.members(group).has(id);
  const inactiveToo = asks(call, 'include_inactive');
  const rows = (switches.duplicate_subjects ? ids : [...new Set(ids)])
    .flatMap((id) => store.subjects.get(id) ?? [])
    .filter(({ id, is_active }) => (wanted?.has(id) ?? true) && isInGroup(id) && (inactiveToo || is_active));
  return query.has('page_size') ? pageOf(call, rows, showSubject, true) : ok(rows.map(showSubject));
};

const create = (call: Call, body: Body): SimulatedResponse => {
  const { store } = call;
  const bad = problemOf(call, body, ['name', 'subject_subtype']);
  if (bad) return bad;
  if (store.subjects.has(String(body['id']))) return clash('A subject with this id already exists.');
  const group = store.settings.default_group;
  if (group === null) return failed(500, 'SubjectGroup matching query does not exist.');
  const base = { id: call.newId(), subject_type: 'person', is_active: true, additional: {} };
  const record = { ...base, ...taken<Subject>(body, writable) } as Subject;
  store.apply({ put: 'subjects', record }, { join: group, subjects: [record.id] });
  return created(showSubject(record));
};

/** The subject of a path, when the token may view it. */
const find = ({ store, token, key }: Call): Subject | undefined =>
  seesSubject(store, token, key) ? store.subjects.get(key) : undefined;

const patch = (call: Call, body: Body): SimulatedResponse => {
  const subject = find(call);
  if (!subject) return failed(404);
  if (Object.hasOwn(body, 'id') && body['id'] !== subject.id)
    return refused({ id: ['The id of a subject cannot be changed.'] });
  const bad = problemOf(call, body, []);
  if (bad) return bad;
  const record = { ...subject, ...taken<Subject>(body, writable) };
  call.store.apply({ put: 'subjects', record });
  return ok(showSubject(record));
};

const remove: Run = (call) => {
  const subject = find(call);
  if (!subject) return failed(404);
  call.store.apply({ remove: 'subjects', id: subject.id });
  return deleted(call.switches.delete_answer);
};

const all = /^subjects\/$/;
const one = /^subject\/([^/]+)\/$/;

/** Subjects (site contract, section 6). New ones join the default group; a patch replaces `additional` whole. */
export const subjectRoutes: readonly Route[] = [
  { method: 'GET', path: all, needs: permissions.viewSubjects, run: list },
  { method: 'POST', path: all, needs: permissions.addSubject, run: withObject(create) },
  { method: 'PATCH', path: one, needs: permissions.changeSubject, run: withObject(patch) },
  { method: 'DELETE', path: one, needs: permissions.deleteSubject, run: remove },
];
