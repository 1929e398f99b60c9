import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RecordedChange } from '@ranger-relay/contracts';
import type { FormDocument, Site } from '@ranger-relay/site';
import { equalForms } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { memberOf } from '../plan/match.ts';
import type { Entry, Outcome } from './journal.ts';
import { sameMembers } from './same.ts';

const happened = (id: string | null): Outcome => ({ outcome: 'done', id });
const notHappened: Outcome = { outcome: 'refused', reason: 'it never reached the site' };

const foundOr = (id: string | undefined): Outcome => (id === undefined ? notHappened : happened(id));

const formOf = async (folder: string, file: string | null): Promise<FormDocument | null> =>
  file === null ? null : (JSON.parse(await readFile(join(folder, file), 'utf8')) as FormDocument);

/** A patch was carried out unless what it replaces is still there. */
const patched = (
  present: object | undefined,
  { before }: { before?: Readonly<Record<string, unknown>> | undefined },
): Outcome =>
  present === undefined || (before !== undefined && sameMembers(present, before)) ? notHappened : happened(null);

const ask = async (site: Site, change: RecordedChange, folder: string): Promise<Outcome> => {
  switch (change.kind) {
    case 'patrol_type': {
      const there = (await site.patrolTypes()).find(({ value }) => value === change.value);
      return change.action === 'created' ? foundOr(there?.id) : patched(there, change);
    }
    case 'choice': {
      const { field, value } = change;
      const there = (await site.choices(field)).find(
        (each) => choiceKey(field, each.value) === choiceKey(field, value),
      );
      return change.action === 'created' ? foundOr(there?.id) : patched(there, change);
    }
    case 'subject': {
      if (change.action === 'updated') return patched((await site.subjectsById([change.id]))[0], change);
      return foundOr((await site.subjects()).find((subject) => memberOf(subject) === change.member)?.id);
    }
    case 'universal_patrol_fields': {
      const [stored, before] = [await site.form(), await formOf(folder, change.before_file)];
      const isUntouched = stored === null || before === null ? stored === before : equalForms(stored, before);
      return isUntouched ? notHappened : happened(null);
    }
    case 'roster': {
      const members = new Set(await site.groupMembers(change.group_id));
      return change.subject_ids.some((id) => members.has(id)) ? happened(null) : notHappened;
    }
  }
};

/** Finds out, by asking the site, what became of writes of which nobody knows (bundle contract, 7). */
export const settle = async (site: Site, entries: readonly Entry[], record: string): Promise<readonly Entry[]> => {
  const settled: Entry[] = [];
  for (const entry of entries) {
    const isOpen = entry.outcome === undefined || entry.outcome.outcome === 'unknown';
    settled.push(isOpen ? { ...entry, outcome: await ask(site, entry.change, dirname(record)) } : entry);
  }
  return settled;
};
