import { type Body, isObject } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { created, failed, ok, refused } from '../answers/envelope.ts';
import { object, refusal, text } from '../answers/fields.ts';
import { wholeList } from '../answers/paging.ts';
import type { Source, SourceProvider, SubjectSource } from '../state/records.ts';
import { type Call, isId, type Route, type Run, withObject, withParameters } from './call.ts';

const maxIds = 25;

/** Assignments of devices to subjects over time, of at most 25 subjects or sources. */
const subjectSources: Run = ({ query, store, switches }) => {
  if (query.has('subjects') === query.has('sources')) return failed(400, 'either subjects or sources');
  const [name, member] = query.has('subjects') ? (['subjects', 'subject'] as const) : (['sources', 'source'] as const);
  const ids = (query.get(name) ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > maxIds) return failed(400, `${name} takes 1 to ${maxIds} ids`);
  if (!ids.every(isId)) return failed(400, `${name} holds what is no id`);
  const rows = [...store.subjectSources.values()].filter((row) => ids.includes(row[member]));
  return wholeList(
    rows.map(({ id: _id, ...row }) => row),
    switches,
  );
};

/** Providers, unique on their keys. */
const providers: Run = ({ store, switches }) => wholeList([...store.sourceProviders.values()], switches);

const addProvider = ({ store, newId }: Call, body: Body): SimulatedResponse => {
  const bad = refusal(body, { provider_key: text, display_name: text, additional: object }, [
    'provider_key',
    'display_name',
    'additional',
  ]);
  if (bad) return bad;
  if ([...store.sourceProviders.values()].some(({ provider_key: key }) => key === body['provider_key']))
    return refused({ provider_key: ['source provider with this provider_key already exists.'] });
  const record = { ...body, id: newId() } as unknown as SourceProvider;
  store.apply({ put: 'sourceProviders', record });
  return created(record);
};

/** Sources by manufacturer id and key of the provider. */
const sources: Run = ({ store, query, switches }) => {
  const matches = (name: 'manufacturer_id' | 'provider', row: Source): boolean =>
    !query.has(name) || query.get(name) === row[name];
  const rows = [...store.sources.values()].filter((row) => matches('manufacturer_id', row) && matches('provider', row));
  return wholeList(rows, switches);
};

const addSource = ({ store, newId }: Call, body: Body): SimulatedResponse => {
  const bad = refusal(body, { manufacturer_id: text, provider: text, additional: object }, [
    'manufacturer_id',
    'additional',
  ]);
  if (bad) return bad;
  const { provider } = body;
  if (provider !== undefined && ![...store.sourceProviders.values()].some(({ provider_key: key }) => key === provider))
    return refused({ provider: [`Object with provider_key=${String(provider)} does not exist.`] });
  const record = { ...body, id: newId() } as unknown as Source;
  store.apply({ put: 'sources', record });
  return created(record);
};

/** Gives a source to a subject for a time; the same range is the same assignment. */
const assign = ({ store, newId, key }: Call, body: Body): SimulatedResponse => {
  const { source: id, assigned_range: range = { lower: null, upper: null } } = body;
  if (!store.subjects.has(key)) return failed(404);
  if (!store.sources.has(String(id)))
    return refused({ source: [`Invalid pk "${String(id)}" - object does not exist.`] });
  if (!isObject(range)) return refused({ assigned_range: ['Not a valid range.'] });
  const { lower = null, upper = null } = range;
  const same = [...store.subjectSources.values()].find(
    ({ subject, source, assigned_range: other }) =>
      subject === key && source === id && other.lower === lower && other.upper === upper,
  );
  if (same) return ok(same);
  const record = { id: newId(), source: id, subject: key, assigned_range: { lower, upper } } as SubjectSource;
  store.apply({ put: 'subjectSources', record });
  return created(record);
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

/** Providers, sources and their assignments to subjects (platform contract, site pull actions; contract of the site, additions, 7). */
export const sourceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^subjectsources$/,
    run: withParameters(['subjects', 'sources', 'page'], false, subjectSources),
  },
  { method: 'GET', path: /^sourceproviders$/, run: providers },
  { method: 'POST', path: /^sourceproviders$/, run: withObject(addProvider) },
  { method: 'GET', path: /^sources$/, run: sources },
  { method: 'POST', path: /^sources$/, run: withObject(addSource) },
  { method: 'POST', path: /^subject\/([^/]+)\/sources$/, run: withObject(assign) },
  { method: 'GET', path: /^source\/([^/]+)\/$/, run: source },
  { method: 'GET', path: /^source\/([^/]+)\/subjects$/, run: sourceSubjects },
];
