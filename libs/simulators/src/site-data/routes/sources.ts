import { failed, ok, refused } from '../../site/answers/envelope.ts';
import { type DataCall, type DataRoute, idsOf, isId, unknownParameter } from '../call.ts';
import { wholeList } from '../paging.ts';
import type { SiteData, SubjectGroup } from '../records.ts';

const maxIds = 25;

const shownGroup = ({ subjects }: SiteData, group: SubjectGroup, hidden: boolean): object => ({
  id: group.id,
  name: group.name,
  subjects: group.subjects.flatMap((id) => {
    const subject = subjects.find((each) => each.id === id);
    return subject ? [{ id, name: subject.name }] : [];
  }),
  subgroups: (group.subgroups ?? [])
    .filter((child) => hidden || child.hidden !== true)
    .map((child) => shownGroup({ subjects } as SiteData, child, hidden)),
});

/** `subjectgroups`: the tree of groups with their subjects; hidden ones only for who asks. */
export const subjectGroups: DataRoute = ({ query, data, switches }) => {
  const strange = unknownParameter(query, ['flat', 'include_hidden', 'isvisible']);
  if (strange) return strange;
  if (query.get('flat') !== 'false') return refused({ flat: ['The tree comes only with flat=false.'] });
  const hidden = query.get('include_hidden') === 'true';
  const groups = data.groups.filter((group) => hidden || group.hidden !== true);
  return wholeList(
    groups.map((group) => shownGroup(data, group, hidden)),
    switches,
  );
};

const onePage = ({ path, host, switches }: DataCall, rows: readonly unknown[]) => {
  const size = switches.subject_sources_page;
  if (rows.length <= size) return wholeList(rows, switches);
  const next = `http://${host}${path}?page=2`;
  return ok({ count: rows.length, next, previous: null, results: rows.slice(0, size) });
};

/** `subjectsources`: who wore what and when, of at most 25 subjects or sources. */
export const subjectSources: DataRoute = (call) => {
  const { query, data } = call;
  const strange = unknownParameter(query, ['subjects', 'sources', 'page']);
  if (strange) return strange;
  if (query.has('subjects') === query.has('sources')) return failed(400, 'either subjects or sources');
  const name = query.has('subjects') ? 'subjects' : 'sources';
  const ids = idsOf(query, name, maxIds);
  if (!Array.isArray(ids)) return ids as ReturnType<DataRoute>;
  const wanted = new Set(ids as readonly string[]);
  const member = name === 'subjects' ? 'subject' : 'source';
  return onePage(
    call,
    data.subjectSources.filter((row) => wanted.has(row[member])),
  );
};

/** `source/{uuid}/`. */
export const source: DataRoute = ({ key, data }) => {
  const found = isId(key) ? data.sources.find(({ id }) => id === key) : undefined;
  if (!found) return failed(404);
  return ok({ ...found, source_type: 'gps-radio', provider: 'default', subject: null });
};

/** `source/{uuid}/subjects`. */
export const sourceSubjects: DataRoute = ({ key, data, switches }) => {
  if (!data.sources.some(({ id }) => id === key)) return failed(404);
  const worn = new Set(data.subjectSources.filter((row) => row.source === key).map(({ subject }) => subject));
  return wholeList(
    data.subjects.filter(({ id }) => worn.has(id)),
    switches,
  );
};
