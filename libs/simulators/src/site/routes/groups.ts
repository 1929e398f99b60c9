import type { Answer } from '../../http/answer.ts';
import { failed, ok, refused, refusedItems } from '../answers/envelope.ts';
import { isObject } from '../answers/fields.ts';
import { largestPage } from '../answers/paging.ts';
import { permissions } from '../permissions.ts';
import { visibleGroups } from '../visibility.ts';
import { pageOf, type Call, type Route, type Run } from './call.ts';
import { listGroups } from './group-list.ts';
import { showSubject } from './subjects.ts';

/** Most ids of one call. */
const mostIds = 100;

const members = ({ store, key }: Call) => [...store.members(key)].flatMap((id) => store.subjects.get(id) ?? []);

/** 404 for no such group, 403 for one that the token may not view. */
const groupRefusal = ({ store, token, key }: Call): Answer | undefined => {
  if (!store.groups.has(key)) return failed(404);
  return visibleGroups(store, token).has(key) ? undefined : failed(403, 'The group may not be viewed.');
};

const list: Run = (call) =>
  groupRefusal(call) ??
  (call.query.has('page_size')
    ? pageOf(call, members(call), showSubject, largestPage)
    : ok(members(call).map(showSubject)));

const itemProblem = (item: unknown): object => {
  if (!isObject(item)) return { non_field_errors: ['Invalid data. Expected a dictionary.'] };
  if (!Object.hasOwn(item, 'id')) return { id: ['This field is required.'] };
  const { id } = item;
  return typeof id === 'string' && /^[0-9a-f-]{32,36}$/i.test(id) ? {} : { id: ['Must be a valid UUID.'] };
};

/** The ids of a body `[{"id":"<uuid>"}]`, or why they are refused. */
const idsOf = ({ store, body }: Call): readonly string[] | Answer => {
  if (!Array.isArray(body)) return refused({ non_field_errors: ['Expected a list of items.'] });
  if (body.length > mostIds) return refused({ non_field_errors: [`At most ${mostIds} subjects in one request.`] });
  const problems = body.map(itemProblem);
  if (problems.some((problem) => Object.keys(problem).length > 0)) return refusedItems(problems);
  const ids = (body as { id: string }[]).map(({ id }) => id.toLowerCase());
  const unknown = ids.filter((id) => !store.subjects.has(id));
  if (unknown.length === 0) return ids;
  const named = unknown.map((id) => `'${id}'`).join(', ');
  return refused({ id: [`Subjects with IDs [${named}] do not exist.`] });
};

const change =
  (kind: 'join' | 'leave'): Run =>
  (call) => {
    const refusal = groupRefusal(call);
    if (refusal) return refusal;
    const ids = idsOf(call);
    if (!('length' in ids)) return ids;
    call.store.apply(kind === 'join' ? { join: call.key, subjects: ids } : { leave: call.key, subjects: ids });
    return ok(members(call).map(showSubject));
  };

const one = /^subjectgroup\/([^/]+)\/subjects\/$/;

/** Subject groups and their direct members (site contract, section 7); adding and removing give the full member list. */
export const groupRoutes: readonly Route[] = [
  { method: 'GET', path: /^subjectgroups\/$/, run: listGroups },
  { method: 'GET', path: one, run: list },
  { method: 'POST', path: one, needs: permissions.changeGroup, run: change('join') },
  { method: 'DELETE', path: one, needs: permissions.changeGroup, run: change('leave') },
];
