import { z } from 'zod';
import type { NewSubject, Progress, Site, Subject } from '../port.ts';
import { create, type Creation } from '../wire/create.ts';
import { isObject } from '../wire/failure.ts';
import { readAll } from '../wire/pages.ts';
import { activeFlag, idText, looseText, read } from '../wire/read.ts';
import { write } from '../wire/send.ts';
import { update } from '../wire/update.ts';
import type { Wire } from '../wire/wire.ts';
import { chunksOf, plainId, sameMember } from './ids.ts';

const path = 'subjects/';

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

const list = async (
  wire: Wire,
  more: Record<string, string> = {},
  progress?: Progress,
): Promise<readonly Subject[]> => {
  const query = { include_inactive: 'true', render_last_location: 'false', page_size: '1000', ...more };
  const { rows, target } = await readAll(wire, { path, query, progress });
  return read(z.array(subjectSchema), rows, target);
};

const listById = async (wire: Wire, ids: readonly string[]): Promise<readonly Subject[]> => {
  const wanted = new Set(ids.map(plainId));
  const found: Subject[] = [];
  for (const some of chunksOf([...new Set(ids)])) found.push(...(await list(wire, { id: some.join(',') })));
  return found.filter(({ id }) => wanted.delete(plainId(id)));
};

const creationOf = (wire: Wire, { name, subject_subtype, is_active, additional }: NewSubject): Creation<Subject> => {
  const json = { name, subject_subtype, is_active, additional };
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? subjectSchema.safeParse({ ...json, ...payload }).data : undefined),
    find: async () => sameMember(await list(wire), additional),
  };
};

const pathOf = (id: string): string => `subject/${encodeURIComponent(id)}/`;

/** Subjects (site contract, 6). */
export const subjectCalls = (
  wire: Wire,
): Pick<Site, 'subjects' | 'subjectsById' | 'createSubject' | 'patchSubject' | 'deleteSubject'> => ({
  subjects: (progress) => list(wire, {}, progress),
  subjectsById: (ids) => listById(wire, ids),
  createSubject: (subject) => create(wire, creationOf(wire, subject)),
  async patchSubject(present, changes) {
    const { id } = present;
    await update(wire, {
      request: { method: 'PATCH', path: pathOf(id), json: changes },
      present,
      changes,
      look: async () => (await listById(wire, [id]))[0],
    });
  },
  async deleteSubject(id) {
    const reply = await write(wire, { method: 'DELETE', path: pathOf(id) }, [404]);
    if (!reply.ok && !reply.repeated) throw reply.refusal();
  },
});
