import type { AreaNeeds, PlannedChange } from '@ranger-relay/contracts';
import { type Choice, plainId, type Site, type UnreadableRow } from '@ranger-relay/site';
import { labelLimits, type Label } from '../bundle/labels/label.ts';
import {
  type Attribute,
  type AttributeOption,
  hasOptions,
  type Mandate,
  type PatrolClass,
  type Station,
} from '../bundle/model.ts';
import type { FormOption } from '../form/modernize.ts';
import type { OtherArea } from '../run/known-records.ts';
import {
  applyCreate,
  applyUpdate,
  compareObject,
  createdChanged,
  describeObject,
  inactive,
  isRecorded,
  quoted,
  reconcileObject,
  undoCreated,
  undoUpdated,
  valuesOf,
} from './object.ts';
import {
  already,
  type Applied,
  type ApplyContext,
  areaThat,
  type ChangeOf,
  differences,
  type EntryOf,
  heldBackBy,
  left,
  type OnRead,
  type Resource,
  rowWithValue,
  type StepPlan,
  type UndoContext,
  type Undone,
} from './resource.ts';

/** Choice fields of the core form fields. */
export const coreFields = {
  mandate: 'patrol_mandate',
  station: 'patrol_station',
  patrolClass: 'patrol_class',
} as const;

/** A desired choice option. */
export interface DesiredChoice {
  readonly field: string;
  readonly value: string;
  readonly display: string;
  readonly isActive: boolean;
  /** Position, sent only on create. */
  readonly ordernum: number;
}

/** Default labels of the classes that every installation has. */
const classLabels = new Map([
  ['ground', 'Ground'],
  ['marine', 'Marine'],
  ['air', 'Air'],
  ['mixed', 'Mixed'],
]);

const keyed = (
  field: string,
  records: readonly (Mandate | PatrolClass)[],
  label: Label,
  fallbackOf: (key: string) => string,
): DesiredChoice[] => {
  const taken = new Set<string>();
  return records.flatMap(({ key, value, names, isActive }, ordernum) => {
    if (key === null || value === null || taken.has(value)) return [];
    taken.add(value);
    return [{ field, value, display: label(names, fallbackOf(key), labelLimits.choice), isActive, ordernum }];
  });
};

/** The external system lists its classes in no order of their own. */
const byValue = (classes: readonly PatrolClass[]): readonly PatrolClass[] =>
  classes.toSorted((a, b) => ((a.value ?? '') < (b.value ?? '') ? -1 : 1));

/** Display of a station without a name. */
export const unnamedStation = (uuid: string): string => `Unnamed station ${uuid.slice(0, 8)}`;

const stationChoices = (stations: readonly Station[], label: Label): DesiredChoice[] =>
  stations.map(({ uuid, names, isActive }, ordernum) => ({
    field: coreFields.station,
    value: uuid,
    display: label(names, unnamedStation(uuid), labelLimits.choice),
    isActive,
    ordernum,
  }));

/** Whether a node and all its ancestors are active. The bundle reader has already refused cycles. */
const isOffered = (option: AttributeOption, byUuid: ReadonlyMap<string, AttributeOption>): boolean => {
  const parent = option.parentUuid === null ? undefined : byUuid.get(option.parentUuid);
  return option.isActive && (parent === undefined || isOffered(parent, byUuid));
};

const inOrder = (options: readonly AttributeOption[]): readonly AttributeOption[] =>
  options.toSorted((a, b) => a.order - b.order);

const attributeChoices = (field: string, options: readonly AttributeOption[], label: Label): DesiredChoice[] => {
  const byUuid = new Map(options.map((option) => [option.uuid, option]));
  return inOrder(options).flatMap((option, ordernum) => {
    const { value, key, path, names } = option;
    if (value === null) return [];
    const display = label(names, key ?? path ?? value, labelLimits.choice);
    return [{ field, value, display, isActive: isOffered(option, byUuid), ordernum }];
  });
};

/** The input of the choices. */
export interface ChoiceSources {
  readonly mandates: readonly Mandate[];
  readonly patrolClasses: readonly PatrolClass[];
  readonly stations: readonly Station[];
  readonly attributes: readonly Attribute[];
}

/** Options by field. */
export type DesiredChoices = ReadonlyMap<string, readonly DesiredChoice[]>;

/** Options by field; a field that our form refers to is included even without options. */
export const desiredChoices = (
  { mandates, patrolClasses, stations, attributes }: ChoiceSources,
  label: Label,
): DesiredChoices => {
  const fields = new Map<string, readonly DesiredChoice[]>([
    [coreFields.mandate, keyed(coreFields.mandate, mandates, label, (key) => key)],
    [coreFields.station, stationChoices(stations, label)],
    [
      coreFields.patrolClass,
      keyed(coreFields.patrolClass, byValue(patrolClasses), label, (key) => classLabels.get(key) ?? key),
    ],
  ]);
  for (const attribute of attributes)
    if (attribute.choiceField !== null && hasOptions(attribute))
      fields.set(attribute.choiceField, attributeChoices(attribute.choiceField, attribute.options, label));
  return fields;
};

/** Adds the options that a form of 2025 holds itself and that the lists lack; an option that is there keeps its display. */
export const withFormOptions = (
  choices: DesiredChoices,
  missing: readonly FormOption[],
  present: ReadonlyMap<string, readonly Choice[]>,
  label: Label,
): DesiredChoices => {
  const all = new Map(choices);
  for (const { list: field, value, title } of missing) {
    const known = all.get(field) ?? [];
    const there = present.get(field) ?? [];
    const { display } = there.find((each) => each.value === value) ?? {
      display: label(new Map(), title, labelLimits.choice),
    };
    const added = { field, value, display, ordernum: there.length + known.length };
    const option = { ...(known.find((each) => each.value === value) ?? added), isActive: true };
    all.set(field, [...known.filter((each) => each.value !== value), option]);
  }
  return all;
};

/** The identity of an option within its field: a station's uuid without dashes and in lower case, otherwise the value itself. */
export const choiceKey = (field: string, value: string): string =>
  field === coreFields.station ? plainId(value) : value;

/** Options of a field by key; if one station has two spellings, the one without dashes wins. */
const byKey = (field: string, present: readonly Choice[]): ReadonlyMap<string, Choice> => {
  const found = new Map<string, Choice>();
  for (const choice of present) {
    const key = choiceKey(field, choice.value);
    if (!found.has(key) || choice.value === key) found.set(key, choice);
  }
  return found;
};

/** Reads the options of fields, including inactive ones, by field. */
export const readChoices = async (
  site: Site,
  fields: readonly string[],
  onRead?: OnRead,
  onUnreadable?: (row: UnreadableRow) => void,
): Promise<ReadonlyMap<string, readonly Choice[]>> => {
  const found = new Map<string, readonly Choice[]>();
  for (const field of fields) {
    const progress = (done: number, total: number | null): void => onRead?.(`choices of ${field}`, done, total);
    found.set(field, await site.choices(field, progress, onUnreadable));
  }
  return found;
};

/** The active options, as the needs of the area list them. */
export const neededChoices = (choices: DesiredChoices): AreaNeeds['choices'] =>
  Object.fromEntries(
    [...choices].map(([field, options]) => [
      field,
      options.flatMap(({ value, isActive }) => (isActive ? [choiceKey(field, value)] : [])),
    ]),
  );

/**
 * Keeps active the options that other areas use.
 * @param present undefined when the options of the site are unknown
 * @param kept receives a sentence for each option that stays active
 */
export const choicesBeside = (
  choices: DesiredChoices,
  present: ReadonlyMap<string, readonly Choice[]> | undefined,
  others: readonly OtherArea[],
  kept: string[],
): DesiredChoices =>
  new Map(
    [...choices].map(([field, options]) => {
      const active = new Set(
        (present?.get(field) ?? []).flatMap(({ value, is_active }) => (is_active ? [choiceKey(field, value)] : [])),
      );
      const beside = options.map((option) => {
        const key = choiceKey(field, option.value);
        if (option.isActive || !active.has(key)) return option;
        const area = areaThat(
          others,
          (needs) => needs.choices[field]?.some((value) => choiceKey(field, value) === key) ?? false,
        );
        if (area === undefined) return option;
        kept.push(
          `The option ${option.value} of ${field} stays active: area ${area} uses it (${quoted(option.display)})`,
        );
        return { ...option, isActive: true };
      });
      return [field, beside] as const;
    }),
  );

type ChoiceUpdate = Extract<ChangeOf<'choice'>, { action: 'updated' }>;

/** The update that an existing option needs; its value and position never change. */
const updateOf = (
  { id, field, value, ...present }: Choice,
  { display, isActive }: Pick<DesiredChoice, 'display' | 'isActive'>,
): ChoiceUpdate | undefined => {
  const found = differences(present, { display, is_active: isActive });
  return found && { kind: 'choice', action: 'updated', field, value, id, display: present.display, ...found };
};

const changeOf = (there: Choice | undefined, desired: DesiredChoice): PlannedChange | undefined => {
  if (there) return updateOf(there, desired);
  const { field, value, display, isActive, ordernum } = desired;
  return { action: 'created', field, kind: 'choice', value, written: { display, is_active: isActive, ordernum } };
};

interface Option {
  readonly field: string;
  readonly value: string;
}

const nameOf = ({ field, value }: Option): string => `choice ${field} ${value}`;

/** Plans the options that the bundle names; all other options of the field stay unchanged and are counted (spec, rule 1). */
export const planChoices = (
  present: ReadonlyMap<string, readonly Choice[]>,
  desired: DesiredChoices,
  unreadable: readonly UnreadableRow[] = [],
): StepPlan => {
  const changes: PlannedChange[] = [];
  const heldBack: string[] = [];
  let [unchanged, others] = [0, 0];
  for (const [field, options] of desired) {
    const there = byKey(field, present.get(field) ?? []);
    const wanted = new Set(options.map(({ value }) => choiceKey(field, value)));
    const rows = unreadable.filter(({ row }) => row['field'] === field);
    for (const option of options) {
      const key = choiceKey(field, option.value);
      const row = there.has(key) ? undefined : rowWithValue(rows, (value) => choiceKey(field, value) === key);
      const change = row ? undefined : changeOf(there.get(key), option);
      if (row) heldBack.push(heldBackBy(nameOf(option), row));
      else if (change) changes.push(change);
      else unchanged += 1;
    }
    others += (present.get(field) ?? []).filter(({ value }) => !wanted.has(choiceKey(field, value))).length;
  }
  return { changes, heldBack, unchanged, others, skipped: null };
};

const isSame =
  ({ field, value }: Option) =>
  (choice: Choice): boolean =>
    choiceKey(field, choice.value) === choiceKey(field, value);

const update = (context: ApplyContext, change: ChoiceUpdate): Promise<Applied> => {
  const { kind, action, id, field, value } = change;
  return applyUpdate(context, change, {
    name: nameOf(change),
    read: async () => (await context.fresh.choices(field)).find((choice) => choice.id === id),
    patch: (present, changes, readAt) => context.site.patchChoice(present, changes, readAt),
    recorded: (due) => ({ kind, action, id, field, value, ...due }),
  });
};

const apply = async (context: ApplyContext, change: ChangeOf<'choice'>): Promise<Applied> => {
  if (change.action === 'updated') return update(context, change);
  const { site, writes } = context;
  const { kind, action, field, value, written } = change;
  const { display, is_active } = written;
  return applyCreate({
    name: nameOf(change),
    create: () =>
      writes.write(
        { kind, action, id: null, field, value, written },
        async () => (await site.createChoice({ field, value, ...written }))?.id ?? null,
      ),
    find: async () => (await site.choices(field)).find(isSame(change)),
    written: { display, is_active },
  });
};

const undo = async (context: UndoContext, entry: EntryOf<'choice'>): Promise<Undone> => {
  const { site, fresh, force, readAt } = context;
  const { id, field } = entry;
  const { ordernum: _, ...written } = entry.written;
  const choices = await fresh.choices(field);
  const present = choices.find(id === null ? isSame(entry) : (choice) => choice.id === id);
  if (present) context.nameObject(`${nameOf(entry)} ${quoted(present.display)}`);
  const forced = force.has('choice');
  const patch = async (changes: object): Promise<void> => present && site.patchChoice(present, changes, readAt);
  const isLast = !choices.some((choice) => choice !== present && choice.is_active);
  // What the run made stays as a whole; what was there before it goes back, unless nothing would be left to choose.
  const goesOut = entry.action === 'created' || (entry.before?.['is_active'] === false && isLast);
  if (goesOut && !forced && isRecorded(written) && present?.is_active && context.choiceFieldsLeft.has(field))
    return left(
      'the form still offers these options, and a required list without options lets nobody save a patrol; --force choice takes them out of use',
    );
  if (entry.action === 'updated') return undoUpdated(context, present, entry, patch);
  if (!present) return already('it is gone');
  const changed = forced ? undefined : createdChanged(present, { kind: 'choice', written });
  return changed ?? undoCreated(present, () => patch(inactive));
};

/** Options of choice fields, identified by field and value (site contract, 4). */
export const choice: Resource<'choice'> = {
  stepName: 'Choices',
  permissions: 'choices.view_choice, choices.add_choice and choices.change_choice',
  name: nameOf,
  key: ({ field, value }) => `choice ${field} ${choiceKey(field, value)}`,
  describe: (change, paint) => describeObject(change, nameOf(change), paint),
  async compare(change, { choices }) {
    const alike = (choices.get(change.field) ?? []).filter(isSame(change));
    const meant = change.action === 'updated' ? alike.find(({ id }) => id === change.id) : alike[0];
    return compareObject(meant, change);
  },
  apply,
  reconcile: async (site, entry) => reconcileObject((await site.choices(entry.field)).find(isSame(entry)), entry),
  undo,
  values: valuesOf,
  isNeeded: ({ field, value }, needs) =>
    (needs.choices[field] ?? []).some((needed) => choiceKey(field, needed) === choiceKey(field, value)),
};
