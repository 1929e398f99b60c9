import { isObject } from '@ranger-relay/errors';
import { z } from 'zod';
import type { Choice, NewChoice, OnUnreadable, Progress, Site } from '../port.ts';
import { create, type Creation } from './create.ts';
import { activeFlag, idText, looseText, readAll, readRows } from './list.ts';
import { update } from './update.ts';
import type { SiteClient } from '../client/client.ts';

const path = 'choices/';
const model = 'activity.event';

const choiceSchema = z.object({
  id: idText,
  field: z.string(),
  value: z.string(),
  display: looseText,
  is_active: activeFlag,
});

/** For a field that is not in use, some sites respond with this refusal, others with an empty list. */
const neverSeen = 'is not one of the available choices';

const list = async (
  client: SiteClient,
  field: string,
  progress?: Progress,
  onUnreadable?: OnUnreadable,
): Promise<readonly Choice[]> => {
  const { rows, target } = await readAll(client, {
    path,
    query: { model, field, include_inactive: 'true', page_size: '4000' },
    progress,
    meansEmpty: (reply) => reply.says(neverSeen),
  });
  // Filters again locally, because some sites ignore case or ignore filters.
  const ours = rows.filter((row) => isObject(row) && row['model'] === model && row['field'] === field);
  return readRows(choiceSchema, { rows: ours, target }, `choice ${field}`, onUnreadable);
};

const creationOf = (
  client: SiteClient,
  { field, value, display, is_active, ordernum }: NewChoice,
): Creation<Choice | null> => {
  const json = { model, field, value, display, is_active, ordernum };
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? choiceSchema.safeParse({ ...json, ...payload }).data : undefined),
    find: async () => (await list(client, field)).find((choice) => choice.value === value),
    unshown: null,
  };
};

/** Options of choice fields (site contract, 4). */
export const choiceCalls = (client: SiteClient): Pick<Site, 'choices' | 'createChoice' | 'patchChoice'> => ({
  choices: (field, progress, onUnreadable) => list(client, field, progress, onUnreadable),
  createChoice: async (choice) => (await create(client, creationOf(client, choice))).record,
  async patchChoice(present, changes, readAt) {
    await update(client, {
      request: { method: 'PATCH', path: `${path}${encodeURIComponent(present.id)}/`, json: changes },
      present,
      changes,
      readAt,
      look: async () => (await list(client, present.field)).find(({ id }) => id === present.id),
    });
  },
});
