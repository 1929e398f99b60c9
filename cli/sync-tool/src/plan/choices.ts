import type { PlannedChange } from '@ranger-relay/contracts';
import type { Choice } from '@ranger-relay/site';
import { coreFields, type DesiredChoice } from '../desired/choices.ts';
import { differences } from './differences.ts';
import type { StepPlan } from './step.ts';

/** Uuids are the same in any spelling: dashes and case do not count. */
export const bareUuid = (text: string): string => text.replaceAll('-', '').toLowerCase();

/** What tells options of a field apart: a station's uuid in any spelling, else the value as it is. */
export const choiceKey = (field: string, value: string): string =>
  field === coreFields.station ? bareUuid(value) : value;

/** One option by its key: of two spellings of one station the bare one is taken. */
const byKey = (field: string, present: readonly Choice[]): ReadonlyMap<string, Choice> => {
  const found = new Map<string, Choice>();
  for (const choice of present) {
    const key = choiceKey(field, choice.value);
    if (!found.has(key) || choice.value === key) found.set(key, choice);
  }
  return found;
};

type ChoiceUpdate = Extract<PlannedChange, { kind: 'choice'; action: 'updated' }>;

/** What an existing option lacks; its value and position are never changed. */
export const choiceChange = (
  { id, field, value, ...present }: Choice,
  { display, isActive }: Pick<DesiredChoice, 'display' | 'isActive'>,
): ChoiceUpdate | undefined => {
  const found = differences(present, { display, is_active: isActive });
  return found && { kind: 'choice', action: 'updated', field, value, id, ...found };
};

const changeOf = (there: Choice | undefined, desired: DesiredChoice): PlannedChange | undefined => {
  if (there) return choiceChange(there, desired);
  const { field, value, display, isActive, ordernum } = desired;
  return { action: 'created', field, kind: 'choice', value, written: { display, is_active: isActive, ordernum } };
};

/** Upserts the options that the bundle names; all others of the field are left as they are, and counted (spec, rule 1). */
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
