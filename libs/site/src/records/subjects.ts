import { z } from 'zod';
import type { NewSubject, OnUnreadable, Progress, Site, Subject } from '../port.ts';
import { create, type Creation } from './create.ts';
import { isObject } from '../client/failure.ts';
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

const creationOf = (
  client: SiteClient,
  schema: SubjectSchema,
  keys: SubjectKeys,
  { name, subject_subtype, is_active, additional }: NewSubject,
): Creation<Subject> => {
  const json = { name, subject_subtype, is_active, additional };
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? schema.safeParse({ ...json, ...payload }).data : undefined),
    find: async () => {
      const { member } = identityOf(additional, keys);
      const same = (await list(client, schema)).filter(({ identity }) => identity.member === member);
      return member === undefined ? undefined : same.toSorted(bySuitability)[0];
    },
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
  return {
    subjects: (progress, onUnreadable) => list(client, schema, {}, progress, onUnreadable),
    subjectsById: (ids) => listById(client, schema, ids),
    subjectsOfGroup: (groupId) => list(client, schema, { subject_group: groupId }),
    createSubject: (subject) => create(client, creationOf(client, schema, keys, subject)),
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
