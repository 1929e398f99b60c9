import type { RecordedChange } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { FormDocument, Site } from '@ranger-relay/site';
import { equalForms } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { subjectsByMember } from '../plan/match.ts';
import type { RunFiles } from './files.ts';
import type { Entry, Outcome } from './journal.ts';
import { readFormBefore } from './record.ts';
import { standingOf, type Replacement } from './replacement.ts';

const happened = (id: string | null): Outcome => ({ outcome: 'done', id });
const notHappened: Outcome = { outcome: 'refused', reason: 'it never reached the site' };

const foundOr = (id: string | undefined): Outcome => (id === undefined ? notHappened : happened(id));

/** A patch was carried out unless what it replaces is still there. */
const patched = (present: object | undefined, change: Replacement): Outcome =>
  present === undefined || (change.before !== undefined && standingOf(present, change) === 'before')
    ? notHappened
    : happened(null);

/** While the feature is off nobody can see what is stored. */
const formOutcome = async (site: Site, file: string | null, files: RunFiles): Promise<Outcome | undefined> => {
  const before = file === null ? null : await readFormBefore<FormDocument>(files, file);
  const stored = await site.form();
  if (stored === null && !(await site.patrolSchemas())) return undefined;
  return equalForms(stored, before) ? notHappened : happened(null);
};

/** Undefined when the site cannot say. */
const ask = async (site: Site, change: RecordedChange, files: RunFiles): Promise<Outcome | undefined> => {
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
      return foundOr(subjectsByMember(await site.subjects()).get(change.member ?? '')?.id);
    }
    case 'universal_patrol_fields':
      return formOutcome(site, change.before_file, files);
    case 'roster': {
      const members = new Set(await site.groupMembers(change.group_id));
      return change.subject_ids.some((id) => members.has(id)) ? happened(null) : notHappened;
    }
  }
};

/** A list that cannot be read leaves its entries open, and settles the others. */
const tryToAsk: typeof ask = async (site, change, files) => {
  try {
    return await ask(site, change, files);
  } catch (error) {
    if (!isRelayError(error) || isRelayError(error, 'site_unauthorized', 'site_redirected', 'internal')) throw error;
    return undefined;
  }
};

/**
 * Finds out, by asking the site, what became of writes of which nobody knows (bundle contract, 7). Where the site cannot say, an entry stays
 * as it is: it is listed as if it had happened, and what undoes it compares it with what is there.
 * @throws RelayError `site_unauthorized`, `site_redirected`
 */
export const settle = async (site: Site, entries: readonly Entry[], files: RunFiles): Promise<readonly Entry[]> => {
  const settled: Entry[] = [];
  for (const entry of entries) {
    const isOpen = entry.outcome === undefined || entry.outcome.outcome === 'unknown';
    const outcome = isOpen ? await tryToAsk(site, entry.change, files) : undefined;
    settled.push(outcome ? { ...entry, outcome } : entry);
  }
  return settled;
};
