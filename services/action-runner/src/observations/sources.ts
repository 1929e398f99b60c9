import { RelayError } from '@ranger-relay/errors';
import type { SiteQuery, SiteReader } from '@ranger-relay/site';
import { inBatches } from '../mapping/batches.ts';
import { idOf, isRow, readList } from '../mapping/instant.ts';

/** Dependencies of looking up the sources of groups. */
export interface SourceDependencies {
  readonly site: Pick<SiteReader, 'get'>;
  /** Called when a list of assignments has more than one page. */
  readonly onMore: () => void;
}

const maxDepth = 50;

/** A look-up that determines what is pulled: an answer that is not a list counts as no answer. */
const askList = async ({ site }: SourceDependencies, path: string, query: SiteQuery) => {
  const payload = await site.get(path, query);
  const isList = Array.isArray(payload) || (isRow(payload) && Array.isArray(payload['results']));
  if (isList) return readList(payload);
  throw new RelayError('site_unavailable', {
    details: { target: `GET ${path}`, reason: 'the response is not a list', tries: 1 },
  });
};

const listIn = (group: unknown, name: string): readonly unknown[] => {
  const list = isRow(group) ? group[name] : undefined;
  return Array.isArray(list) ? (list as unknown[]) : [];
};

/** Collects the subjects of the wanted groups and of all groups inside them. */
const collect = (
  groups: readonly unknown[],
  wanted: ReadonlySet<string>,
  inside: boolean,
  into: Set<string>,
  depth = 0,
): void => {
  if (depth > maxDepth) return;
  for (const group of groups) {
    const here = inside || wanted.has((idOf(group) ?? '').toLowerCase());
    if (here) for (const subject of listIn(group, 'subjects')) into.add(idOf(subject) ?? '');
    collect(listIn(group, 'subgroups'), wanted, here, into, depth + 1);
  }
};

const subjectsOf = async (deps: SourceDependencies, groupIds: readonly string[]): Promise<readonly string[]> => {
  const query = { flat: 'false', include_hidden: 'true', isvisible: 'true' };
  const found = new Set<string>();
  collect(
    (await askList(deps, 'subjectgroups', query)).rows,
    new Set(groupIds.map((id) => id.toLowerCase())),
    false,
    found,
  );
  found.delete('');
  return [...found];
};

/**
 * Ids of all sources that subjects of the groups and of their subgroups ever wore, sorted.
 * @throws RelayError of the site
 */
export const sourcesOfGroups = async (
  deps: SourceDependencies,
  groupIds: readonly string[],
): Promise<readonly string[]> => {
  const subjects = await subjectsOf(deps, groupIds);
  const sources = new Set<string>();
  for (const ids of inBatches(subjects)) {
    const { rows, more } = await askList(deps, 'subjectsources', { subjects: ids.join(',') });
    if (more) deps.onMore();
    for (const row of rows) if (isRow(row)) sources.add(idOf(row['source']) ?? '');
  }
  sources.delete('');
  return [...sources].toSorted();
};
