import type { PlannedChange } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { Choice } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import { coreFields, type DesiredChoice } from '../desired/choices.ts';
import {
  type Applied,
  type ApplyContext,
  type ChangeOf,
  differences,
  type EntryOf,
  planOutdated,
  type Resource,
  type StepPlan,
  type UndoContext,
  undone,
  type Undone,
} from './resource.ts';
import {
  activityOf,
  applyUpdate,
  compareCreated,
  compareUpdated,
  describeUpdate,
  inactive,
  isInUse,
  quoted,
  reconcileCreated,
  reconcileUpdated,
  sameMembers,
  undoCreated,
  undoUpdated,
} from './object.ts';

/** Normalises a uuid: dashes and case do not matter. */
export const bareUuid = (text: string): string => text.replaceAll('-', '').toLowerCase();

/** The identity of an option within its field: a station's uuid without dashes and in lower case, otherwise the value itself. */
export const choiceKey = (field: string, value: string): string =>
  field === coreFields.station ? bareUuid(value) : value;

/** Options of a field by key; if one station has two spellings, the one without dashes wins. */
const byKey = (field: string, present: readonly Choice[]): ReadonlyMap<string, Choice> => {
  const found = new Map<string, Choice>();
  for (const choice of present) {
    const key = choiceKey(field, choice.value);
    if (!found.has(key) || choice.value === key) found.set(key, choice);
  }
  return found;
};

type ChoiceUpdate = Extract<ChangeOf<'choice'>, { action: 'updated' }>;

/** The update that an existing option needs; its value and position never change. */
const updateOf = (
  { id, field, value, ...present }: Choice,
  { display, isActive }: Pick<DesiredChoice, 'display' | 'isActive'>,
): ChoiceUpdate | undefined => {
  const found = differences(present, { display, is_active: isActive });
  return found && { kind: 'choice', action: 'updated', field, value, id, ...found };
};

const changeOf = (there: Choice | undefined, desired: DesiredChoice): PlannedChange | undefined => {
  if (there) return updateOf(there, desired);
  const { field, value, display, isActive, ordernum } = desired;
  return { action: 'created', field, kind: 'choice', value, written: { display, is_active: isActive, ordernum } };
};

/** Plans the options that the bundle names; all other options of the field stay unchanged and are counted (spec, rule 1). */
export const planChoices = (
  present: ReadonlyMap<string, readonly Choice[]>,
  desired: ReadonlyMap<string, readonly DesiredChoice[]>,
): StepPlan => {
  const changes: PlannedChange[] = [];
  let [unchanged, others] = [0, 0];
  for (const [field, options] of desired) {
    const there = byKey(field, present.get(field) ?? []);
    const wanted = new Set(options.map(({ value }) => choiceKey(field, value)));
    const found = options.flatMap((option) => changeOf(there.get(choiceKey(field, option.value)), option) ?? []);
    changes.push(...found);
    unchanged += options.length - found.length;
    others += (present.get(field) ?? []).filter(({ value }) => !wanted.has(choiceKey(field, value))).length;
  }
  return { changes, unchanged, others, skipped: null };
};

interface Option {
  readonly field: string;
  readonly value: string;
}

const nameOf = ({ field, value }: Option): string => `choice ${field} ${value}`;

const isSame =
  ({ field, value }: Option) =>
  (choice: Choice): boolean =>
    choiceKey(field, choice.value) === choiceKey(field, value);

const update = (context: ApplyContext, change: ChoiceUpdate): Promise<Applied> => {
  const { kind, action, id, field, value } = change;
  return applyUpdate(context, change, {
    name: nameOf(change),
    read: async () => (await context.fresh.choices(field)).find((choice) => choice.id === id),
    patch: (present, changes) => context.site.patchChoice(present, changes),
    recorded: (due) => ({ kind, action, id, field, value, ...due }),
  });
};

/** Writes one option. An option that was created since the plan was made is updated. */
const apply = async (context: ApplyContext, change: ChangeOf<'choice'>): Promise<Applied> => {
  if (change.action === 'updated') return update(context, change);
  const { site, writes, course } = context;
  const { kind, action, field, value, written } = change;
  try {
    await writes.write(
      { kind, action, id: null, field, value, written },
      async () => (await site.createChoice({ field, value, ...written }))?.id ?? null,
    );
    return 'done';
  } catch (error) {
    if (!isRelayError(error, 'site_conflict')) throw error;
    const present = (await site.choices(field)).find(isSame(change));
    if (!present) throw error;
    const { display, is_active } = written;
    if (sameMembers(present, { display, is_active })) return 'already';
    if (course.approved) throw planOutdated([nameOf(change)]);
    const needed = updateOf(present, { display, isActive: is_active });
    return needed ? update(context, needed) : 'already';
  }
};

const undo = async (context: UndoContext, entry: EntryOf<'choice'>): Promise<Undone> => {
  const { site, fresh, force } = context;
  const { id, field } = entry;
  const { ordernum: _, ...written } = entry.written;
  const present = (await fresh.choices(field)).find(id === null ? isSame(entry) : (choice) => choice.id === id);
  const forced = force.has('choice');
  const patch = async (changes: object): Promise<void> => present && site.patchChoice(present, changes);
  if (entry.action === 'updated') return undoUpdated(context, present, entry, forced, patch);
  if (!present) return undone('it is gone');
  return undoCreated(context, { present, written, forced, deactivate: () => patch(inactive) });
};

/** Options of choice fields, identified by field and value (site contract, 4). */
export const choice: Resource<'choice'> = {
  name: nameOf,
  key: ({ field, value }) => `choice ${field} ${choiceKey(field, value)}`,
  describe(change, paint) {
    const name = `choice ${change.field} ${printable(change.value)}`;
    return [
      change.action === 'created'
        ? `${paint.green('+')} ${name} ${quoted(change.written.display)}${activityOf(change.written)}`
        : `${paint.yellow('~')} ${name}: ${describeUpdate(change)}`,
    ];
  },
  async compare(change, { choices }) {
    const alike = (choices.get(change.field) ?? []).filter(isSame(change));
    // The hash of a plan does not cover ids, so the id in the file may belong to another object.
    if (change.action === 'updated')
      return compareUpdated(
        alike.find(({ id }) => id === change.id),
        change,
      );
    const { ordernum: _, ...written } = change.written;
    return compareCreated(alike[0], change, written);
  },
  apply,
  async reconcile(site, entry) {
    const there = (await site.choices(entry.field)).find(isSame(entry));
    return entry.action === 'created' ? reconcileCreated(there) : reconcileUpdated(there, entry);
  },
  undo,
  isNeeded: ({ field, value }, needs) =>
    (needs.choices[field] ?? []).some((needed) => choiceKey(field, needed) === choiceKey(field, value)),
  addNeeds: (entry, needs) => void (isInUse(entry) && (needs.choices[entry.field] ??= []).push(entry.value)),
};
