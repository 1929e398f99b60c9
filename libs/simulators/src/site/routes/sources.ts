import type { SimulatedResponse } from '../../http/answer.ts';
import { failed, ok } from '../answers/envelope.ts';
import { wholeList } from '../answers/paging.ts';
import { type Call, isId, type Route, type Run, withParameters } from './call.ts';

const maxIds = 25;

const onePage = ({ path, host, switches }: Call, rows: readonly unknown[]): SimulatedResponse => {
  const size = switches.subject_sources_page;
  if (rows.length <= size) return wholeList(rows, switches);
  const next = `http://${host}${path}?page=2`;
  return ok({ count: rows.length, next, previous: null, results: rows.slice(0, size) });
};

/** Assignments of devices to subjects over time, of at most 25 subjects or sources. */
const subjectSources: Run = (call) => {
  const { query, store } = call;
  if (query.has('subjects') === query.has('sources')) return failed(400, 'either subjects or sources');
  const [name, member] = query.has('subjects') ? (['subjects', 'subject'] as const) : (['sources', 'source'] as const);
  const ids = (query.get(name) ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > maxIds) return failed(400, `${name} takes 1 to ${maxIds} ids`);
  if (!ids.every(isId)) return failed(400, `${name} holds what is no id`);
  const rows = [...store.subjectSources.values()].filter((row) => ids.includes(row[member]));
  return onePage(
    call,
    rows.map(({ id: _id, ...row }) => row),
  );
};

const source: Run = ({ key, store }) => {
  const found = isId(key) ? store.sources.get(key) : undefined;
  return found ? ok({ ...found, source_type: 'gps-radio', provider: 'default', subject: null }) : failed(404);
};

const sourceSubjects: Run = ({ key, store, switches }) => {
  if (!store.sources.has(key)) return failed(404);
  const worn = [...store.subjectSources.values()].filter((row) => row.source === key).map(({ subject }) => subject);
  const subjects = [...new Set(worn)].flatMap((id) => store.subjects.get(id) ?? []);
  return wholeList(subjects, switches);
};

/** Sources and their assignments to subjects (platform contract, site pull actions). */
export const sourceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^subjectsources$/,
    run: withParameters(['subjects', 'sources', 'page'], false, subjectSources),
  },
  { method: 'GET', path: /^source\/([^/]+)\/$/, run: source },
  { method: 'GET', path: /^source\/([^/]+)\/subjects$/, run: sourceSubjects },
];
