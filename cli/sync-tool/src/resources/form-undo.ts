import { toRelayError } from '@ranger-relay/errors';
import type { FormDocument, Site } from '@ranger-relay/site';
import { equalForms, propertiesOf } from '../form/merge.ts';
import { coreProperties, jsonHalvesOf, member, optionsText } from '../form/model.ts';
import { listsFor, modernizeForm, repairForm, type SiteOptions } from '../form/modernize.ts';
import { emptyEnvelope } from '../form/planned.ts';
import { validateForm } from '../form/validate.ts';
import { type WithdrawnForm, withdrawForm } from '../form/withdraw.ts';
import type { OtherArea } from '../run/known-records.ts';
import { endsRun } from '../run/tally.ts';
import { readChoices } from './choice.ts';
import { isRecorded } from './object.ts';
import {
  already,
  changedSince,
  type EntryOf,
  left,
  namesField,
  type UndoContext,
  undone,
  undoneInPart,
  type Undone,
} from './resource.ts';

type FormEntry = EntryOf<'universal_patrol_fields'>;

/** The form before the run and as the run wrote it, and how to undo the run. */
interface FormRun {
  /** Null when there was none. */
  readonly before: FormDocument | null;
  readonly written: FormDocument;
  /** Whether the run can have written a field; undefined when its record tells what it wrote. */
  readonly isOfRun: ((name: string) => boolean) | undefined;
  /** Options on the site, to which choices of a form of 2025 refer when it comes back. */
  readonly options: SiteOptions;
  /** Whether fields of the run are taken back although they were changed since. */
  readonly forced: boolean;
  /** Areas whose fields stay. */
  readonly others: readonly OtherArea[];
}

/** What an undo writes, if anything, and its outcome. */
interface FormUndo {
  readonly outcome: Undone;
  readonly write?: FormDocument;
  /** Fields that stay because another area needs them. */
  readonly needed: ReadonlySet<string>;
}

const asBefore = already('it was as before already');

const neededFields = (names: readonly string[], others: readonly OtherArea[]): ReadonlyMap<string, string> =>
  new Map(
    names.flatMap((name) => {
      const area = others.find(({ needs }) => namesField(needs, name));
      return area ? [[name, area.title] as const] : [];
    }),
  );

/** Says which fields of the run stay, and why. */
const leftText = ({ left: names, used }: WithdrawnForm, needed: ReadonlyMap<string, string>): string => {
  const changed = names.filter((name) => !needed.has(name) && !used.includes(name));
  const conditional = used.filter((name) => !needed.has(name));
  const areas = Map.groupBy(
    [...needed].filter(([name]) => names.includes(name)),
    ([, area]) => area,
  );
  return [
    ...[...areas].map(([area, fields]) => `area ${area} needs it: ${fields.map(([name]) => name).join(', ')}`),
    ...(conditional.length > 0 ? [`a condition uses it: ${conditional.join(', ')}`] : []),
    ...(changed.length > 0
      ? [`changed since, so that only --force universal_patrol_fields takes it back: ${changed.join(', ')}`]
      : []),
  ].join('; ');
};

/** Says which fields of the run are taken back. */
const takenText = ({ removed, restored, overridden }: WithdrawnForm): string =>
  [
    ...(removed.length > 0 ? [`removed: ${removed.join(', ')}`] : []),
    ...(restored.length > 0 ? [`as before the run: ${restored.join(', ')}`] : []),
    ...(overridden.length > 0 ? [`although changed since: ${overridden.join(', ')}`] : []),
    'everything else of the form stays',
  ].join('; ');

/** Takes what the run put in out of a form that was changed since, or that another area needs. */
const withdraw = (
  stored: FormDocument,
  before: FormDocument,
  { written, forced, isOfRun }: FormRun,
  needed: ReadonlyMap<string, string>,
): Omit<FormUndo, 'needed'> => {
  const withdrawn = withdrawForm({ before, written, stored }, { keep: new Set(needed.keys()), forced, isOfRun });
  const { document } = withdrawn;
  const old = new Set(validateForm(stored).map(({ path }) => path));
  const fault = validateForm(document).find(({ path }) => !old.has(path));
  if (fault)
    return { outcome: left(`without what the run wrote the form has a fault: ${fault.text} at ${fault.path}`) };
  const isLeft = withdrawn.left.length > 0;
  const reason = leftText(withdrawn, needed);
  if (equalForms(document, stored)) return { outcome: isLeft ? left(reason) : asBefore };
  const taken = takenText(withdrawn);
  const outcome = isLeft ? undoneInPart(reason, taken) : undone(taken);
  return { outcome, write: repairForm(document).document };
};

const takenAway = already('somebody took the whole form away since, and what was in it with it');

/** What the importer can have written at most: it touches neither conditions nor headers. */
const withBranchesOf = ({ json, ui }: FormDocument, stored: FormDocument): FormDocument => ({
  json: { ...stored.json, allOf: member(json, 'allOf') },
  ui: { ...stored.ui, headers: member(ui, 'headers') },
});

/** Plans the undo of a run: a form that nobody has changed since becomes the form of before, another one loses what the run put in. */
const planUndo = (stored: FormDocument | null, run: FormRun): FormUndo => {
  const { before, written, others, forced, isOfRun } = run;
  // The site takes back no form of 2025 as it was.
  const { document: modern, modernized, missing, lacking } = modernizeForm(before ?? emptyEnvelope(), run.options);
  const { document: target, repaired } = repairForm(modern);
  const none = new Set<string>();
  if (equalForms(stored, before) || equalForms(stored, target)) return { outcome: asBefore, needed: none };
  if (isOfRun && !forced) {
    const byForce = 'fields that the importer may have put in are taken out, the others stay';
    return { outcome: changedSince({ kind: 'universal_patrol_fields' }, null, byForce), needed: none };
  }
  const [lack] = lacking;
  if (lack) return { outcome: left(`${lack.text} (${lack.path})`), needed: none };
  if (missing.length > 0) {
    const options = missing.map(({ list, value }) => `${value} of ${list}`).join(', ');
    return { outcome: left(`the form before the run offers options that are not in use: ${options}`), needed: none };
  }
  const kept = new Set(propertiesOf(target));
  const needed = neededFields(
    propertiesOf(stored).filter((name) => !kept.has(name)),
    others,
  );
  if (!isOfRun && needed.size === 0 && equalForms(stored, written)) {
    const changes = [...modernized, ...repaired];
    const how = changes.length > 0 ? `with what the site needs today: ${changes.join('; ')}` : null;
    const removed = propertiesOf(stored).filter((name) => !kept.has(name));
    const gone = removed.length > 0 ? `removed: ${removed.join(', ')}; the rest ` : '';
    const rest = before === null ? 'stays as an empty form, because a site deletes none' : 'as before the run';
    return { outcome: undone(`${gone}${rest}`, how), write: target, needed: none };
  }
  if (stored === null) return { outcome: takenAway, needed: none };
  const assumed = isOfRun ? { ...run, written: withBranchesOf(target, stored) } : run;
  return { ...withdraw(stored, target, assumed, needed), needed: new Set(needed.keys()) };
};

const hidden = left('the preview feature patrol_schemas is off, so nobody can reach it; undo again when it is on');

type FormUndoContext = Pick<UndoContext, 'site' | 'word' | 'force' | 'others' | 'formBefore'>;

const isOwnField =
  (word: string) =>
  (name: string): boolean =>
    name.startsWith(`${word}_`) || coreProperties.some((core) => core === name);

const runOf = async (context: FormUndoContext, { before_file, written }: FormEntry): Promise<FormRun> => {
  const before = before_file === null ? null : await context.formBefore(before_file);
  return {
    before,
    written: written as unknown as FormDocument,
    isOfRun: isRecorded(written) ? undefined : isOwnField(context.word),
    options: await readChoices(context.site, listsFor(before)),
    forced: context.force.has('universal_patrol_fields'),
    others: context.others,
  };
};

/** Undoes the write of the form. */
export const undoForm = async (context: UndoContext, entry: FormEntry): Promise<Undone> => {
  const { site, readAt, keepBefore } = context;
  const run = await runOf(context, entry);
  const stored = await site.form();
  if (stored === null && !(await site.patrolSchemas())) return hidden;
  const { outcome, write } = planUndo(stored, run);
  if (!write) return outcome;
  const file = stored && (await keepBefore(stored));
  await site.writeForm(write, stored, readAt);
  if (file === null) return outcome;
  const kept = `the form before this undo is in ${file}`;
  return { ...outcome, reason: outcome.reason === null ? kept : `${outcome.reason}; ${kept}` };
};

/** The choice fields of a form, by the field that offers their options. */
const referencesIn = (form: FormDocument | null): ReadonlyMap<string, string> =>
  new Map(propertiesOf(form).map((name) => [name, optionsText(jsonHalvesOf(form?.json, name)[0])]));

/** The choice fields that fields of a form offer and that they did not offer before the run. */
const offered = (form: FormDocument, before: FormDocument | null, needed: ReadonlySet<string>): string[] => {
  const then = referencesIn(before);
  return [...referencesIn(form)].flatMap(([name, field]) =>
    needed.has(name) || then.get(name) === field ? [] : [field],
  );
};

/** An entry with the context of its record. */
export interface FormEntryToUndo {
  readonly entry: FormEntry;
  readonly context: FormUndoContext;
}

/**
 * The choice fields whose options must stay in use, because the form still offers them after the undo of these entries: a required list
 * without options lets nobody save a patrol. An undo takes options back before the form, so this looks ahead.
 * @param entries those to undo, in the order of the undo
 */
export const choiceFieldsLeft = async (
  site: Site,
  entries: readonly FormEntryToUndo[],
): Promise<ReadonlySet<string>> => {
  if (entries.length === 0) return new Set();
  try {
    const stored = await site.form();
    const runs = await Promise.all(entries.map(({ entry, context }) => runOf(context, entry)));
    const isHidden = stored === null && !(await site.patrolSchemas());
    let form = isHidden ? (runs[0]?.written ?? null) : stored;
    const needed = new Set<string>();
    for (const run of isHidden ? [] : runs) {
      const planned = planUndo(form, run);
      form = planned.write ?? form;
      for (const name of planned.needed) needed.add(name);
    }
    return new Set(form ? offered(form, runs.at(-1)?.before ?? null, needed) : []);
  } catch (error) {
    if (endsRun(toRelayError(error))) throw error;
    const written = entries.map(({ entry }) => entry.written as unknown as FormDocument);
    return new Set(written.flatMap((form) => Array.from(referencesIn(form).values())));
  }
};
