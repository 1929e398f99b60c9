import { isObject } from '@ranger-relay/errors';
import type { SiteQuery } from '@ranger-relay/site';
import { noAnswer } from '../mapping/answers.ts';
import { inBatches } from '../mapping/batches.ts';
import { idOf, readList } from '../mapping/instant.ts';
import { type Group, groupQuery, readGroup, withSubgroups } from '../mapping/subject-groups.ts';
import type { PullDependencies } from './dependencies.ts';

type SourceDependencies = Pick<PullDependencies, 'site' | 'onMore'>;

/** A look-up that determines what is pulled: an answer that is not a list counts as no answer. */
const askList = async ({ site }: SourceDependencies, path: string, query: SiteQuery) => {
  const payload = await site.get(path, query);
  const isList = Array.isArray(payload) || (isObject(payload) && Array.isArray(payload['results']));
  if (isList) return readList(payload);
  throw noAnswer(path, 'a list');
};

/** The wanted groups and all groups inside them. */
const wantedOf = (groups: readonly Group[], wanted: ReadonlySet<string>): readonly Group[] =>
  groups.flatMap((group) =>
    wanted.has((group.id ?? '').toLowerCase()) ? withSubgroups(group) : wantedOf(group.subgroups, wanted),
  );

const subjectsOf = async (deps: SourceDependencies, groupIds: readonly string[]): Promise<readonly string[]> => {
  const { rows } = await askList(deps, 'subjectgroups', groupQuery);
  const groups = wantedOf(
    rows.map((row) => readGroup(row)),
    new Set(groupIds.map((id) => id.toLowerCase())),
  );
  return [...new Set(groups.flatMap(({ subjects }) => subjects.flatMap((subject) => idOf(subject) ?? [])))];
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
    for (const id of rows.flatMap((row) => (isObject(row) && idOf(row['source'])) || [])) sources.add(id);
  }
  return [...sources].toSorted();
};
