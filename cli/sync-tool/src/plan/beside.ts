import type { AreaNeeds } from '@ranger-relay/contracts';
import type { Desired } from '../desired/index.ts';
import { kindsIn } from '../form/merge.ts';
import { jsonKindOf as kindOfField } from '../form/draft.ts';
import type { FormField } from '../form/model.ts';
import type { KnownRecords, OtherArea } from '../run/known-records.ts';
import { choiceKey } from '../resources/choice.ts';
import type { Matches } from './match.ts';
import type { SiteState } from './read-site.ts';

/** The input of planning subjects, in addition to the bundle and the site. */
export interface SubjectsBeside extends KnownRecords {
  /** When this bundle was exported. */
  readonly exportedAt: string;
  /**
   * Whether a subject that records list and the site does not show counts as removed and is created again. If false, the token may lack
   * access to it.
   */
  readonly mayRecreate: boolean;
}

/** What this area relies on, for the runs of other areas. */
export const needsOf = ({ types, fields, choices, people }: Desired, { byMember }: Matches): AreaNeeds => ({
  patrol_types: types.flatMap(({ value, isActive }) => (isActive ? [value] : [])),
  choices: Object.fromEntries(
    [...choices].map(([field, options]) => [
      field,
      options.flatMap(({ value, isActive }) => (isActive ? [choiceKey(field, value)] : [])),
    ]),
  ),
  fields: Object.fromEntries(
    fields.flatMap((field) => (field.deprecated ? [] : [[field.property, kindOfField(field)] as const])),
  ),
  subjects: Object.fromEntries(people.subjects.map(({ member }) => [member, byMember.get(member)?.id ?? null])),
});

/** The desired state, in which everything that other areas rely on stays in use; `kept` describes those exceptions to the operator. */
export interface BesideOthers {
  readonly desired: Desired;
  readonly kept: readonly string[];
}

const areaOf = (others: readonly OtherArea[], needs: (needs: AreaNeeds) => boolean): string | undefined =>
  others.find((other) => needs(other.needs))?.id;

const choicesBeside = ({ choices }: Desired, state: SiteState, others: readonly OtherArea[], kept: string[]) => {
  const present = 'value' in state.choices ? state.choices.value : new Map<string, never>();
  return new Map(
    [...choices].map(([field, options]) => {
      const active = new Set(
        (present.get(field) ?? []).flatMap(({ value, is_active }) => (is_active ? [choiceKey(field, value)] : [])),
      );
      const beside = options.map((option) => {
        const key = choiceKey(field, option.value);
        if (option.isActive || !active.has(key)) return option;
        const area = areaOf(
          others,
          (needs) => needs.choices[field]?.some((value) => choiceKey(field, value) === key) ?? false,
        );
        if (area === undefined) return option;
        kept.push(`The option ${option.value} of ${field} stays active: area ${area} uses it`);
        return { ...option, isActive: true };
      });
      return [field, beside] as const;
    }),
  );
};

const fieldsBeside = (
  { fields }: Desired,
  state: SiteState,
  others: readonly OtherArea[],
  kept: string[],
): FormField[] => {
  const stored = 'value' in state.form ? kindsIn(state.form.value) : {};
  return fields.flatMap((field): FormField[] => {
    const { property } = field;
    const other = others.find(({ needs }) => Object.hasOwn(needs.fields, property));
    if (!other || !Object.hasOwn(stored, property)) return [field];
    if (other.needs.fields[property] !== kindOfField(field) && stored[property] === other.needs.fields[property]) {
      kept.push(`The field ${property} stays a ${stored[property]}: area ${other.id} uses it as such`);
      return [];
    }
    if (!field.deprecated) return [field];
    kept.push(`The field ${property} stays in use: area ${other.id} uses it`);
    return [{ ...field, deprecated: false }];
  });
};

/**
 * Keeps what other areas rely on: an option or field that another area needs is never switched off, and a field never changes its kind
 * (site contract, 6, writing beside others).
 * @param replace whether the run overwrites the form regardless of other areas
 */
export const besideOthers = (
  desired: Desired,
  state: SiteState,
  others: readonly OtherArea[],
  replace: boolean,
): BesideOthers => {
  if (others.length === 0) return { desired, kept: [] };
  const kept: string[] = [];
  const fields = replace ? desired.fields : fieldsBeside(desired, state, others, kept);
  return { desired: { ...desired, fields, choices: choicesBeside(desired, state, others, kept) }, kept };
};
