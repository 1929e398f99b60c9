import { isObject } from '@ranger-relay/errors';
import { z } from 'zod';
import type { NewSubject, OnUnreadable, Progress, Site, Subject } from '../port.ts';
import { create, type Creation } from './create.ts';
import { activeFlag, idText, looseText, readAll, readRows } from './list.ts';
import { update } from './update.ts';
import { type SiteClient, write } from '../client/client.ts';
import { identityOf, plainId, type SubjectKeys } from './identity.ts';
import { bySuitability, chunksOf } from './ids.ts';

const path = 'subjects/';
/** All in one page, whose size the site does not limit: rows of several pages have no order among each other. */
const page_size = '100000';

const subjectSchema = z.object({
  id: idText,
  name: looseText,
  subject_subtype: looseText,
  is_active: activeFlag,
  additional: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((additional) => additional ?? {}),
});

const subjectWith = (keys: SubjectKeys) =>
  subjectSchema.transform((subject): Subject => ({ ...subject, identity: identityOf(subject.additional, keys) }));

type SubjectSchema = ReturnType<typeof subjectWith>;

const list = async (
  client: SiteClient,
  schema: SubjectSchema,
  more: Record<string, string> = {},
  progress?: Progress,
  onUnreadable?: OnUnreadable,
): Promise<readonly Subject[]> => {
  const query = { include_inactive: 'true', render_last_location: 'false', page_size, ...more };
  return readRows(schema, await readAll(client, { path, query, progress }), 'subject', onUnreadable);
};

const listById = async (
  client: SiteClient,
  schema: SubjectSchema,
  ids: readonly string[],
): Promise<readonly Subject[]> => {
  const wanted = new Set(ids.map(plainId));
  const found: Subject[] = [];
  for (const some of chunksOf([...new Set(ids)])) found.push(...(await list(client, schema, { id: some.join(',') })));
  return found.filter(({ id }) => wanted.delete(plainId(id)));
};

/** All subjects of the site, and whom the newest list of them stands for: the site would take a second subject of an employee. */
interface AllSubjects {
  readonly schema: SubjectSchema;
  readonly keys: SubjectKeys;
  readonly listAll: Site['subjects'];
  readonly listed: () => ReadonlySet<string>;
}

const creationOf = (
  { name, subject_subtype, is_active, additional }: NewSubject,
  { schema, keys, listAll, listed }: AllSubjects,
): Creation<Subject> => {
  const json = { name, subject_subtype, is_active, additional };
  const { member } = identityOf(additional, keys);
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? schema.safeParse({ ...json, ...payload }).data : undefined),
    async find() {
      const same = (await listAll()).filter(({ identity }) => identity.member === member);
      return member === undefined ? undefined : same.toSorted(bySuitability)[0];
    },
    isListed: () => member !== undefined && listed().has(member),
  };
};

/** A subject as the site has it. */
const rowOf = ({ id, name, subject_subtype, is_active, additional }: Omit<Subject, 'identity'>) => ({
  id,
  name,
  subject_subtype,
  is_active,
  additional,
});

const pathOf = (id: string): string => `subject/${encodeURIComponent(id)}/`;

/** Subjects (site contract, 6). */
export const subjectCalls = (
  client: SiteClient,
  keys: SubjectKeys,
): Pick<Site, 'subjects' | 'subjectsById' | 'subjectsOfGroup' | 'createSubject' | 'patchSubject' | 'deleteSubject'> => {
  const schema = subjectWith(keys);
  let listed: ReadonlySet<string> = new Set();
  const listAll: Site['subjects'] = async (progress, onUnreadable) => {
    const subjects = await list(client, schema, {}, progress, onUnreadable);
    listed = new Set(subjects.flatMap(({ identity: { member } }) => member ?? []));
    return subjects;
  };
  const all: AllSubjects = { schema, keys, listAll, listed: () => listed };
  return {
    subjects: listAll,
    subjectsById: (ids) => listById(client, schema, ids),
    subjectsOfGroup: (groupId) => list(client, schema, { subject_group: groupId }),
    createSubject: (subject) => create(client, creationOf(subject, all)),
    async patchSubject(present, changes, readAt) {
      const { id } = present;
      await update(client, {
        request: { method: 'PATCH', path: pathOf(id), json: changes },
        present: rowOf(present),
        changes,
        readAt,
        look: async () => (await listById(client, schema, [id])).map(rowOf)[0],
      });
    },
    async deleteSubject(id) {
      const reply = await write(client, { method: 'DELETE', path: pathOf(id) }, [404]);
      if (!reply.ok && !reply.repeated) throw reply.refusal();
    },
  };
};
