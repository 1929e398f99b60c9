import type { SiteState } from '@ranger-relay/simulators';

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** What a site holds without ids and order: two sites that were brought to the same end look the same. */
export const essence = ({ types, choices, subjects, groups, form }: SiteState): object => {
  const nameOf = new Map(subjects.map(({ id, name, additional }) => [id, `${name} ${JSON.stringify(additional)}`]));
  return {
    types: types.map(({ value, display, is_active }) => `${value} ${display} ${is_active}`).sort(byText),
    choices: choices
      .map(({ field, value, display, is_active }) => `${field} ${value} ${display} ${is_active}`)
      .sort(byText),
    subjects: subjects
      .map(({ name, is_active, additional }) => JSON.stringify([name, is_active, Object.entries(additional).sort()]))
      .sort(byText),
    groups: groups.map(({ name, subjects: members }) => ({
      name,
      members: members.map((id) => nameOf.get(id)).sort(),
    })),
    form,
  };
};

const emptyForm = {
  json: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {},
    required: [],
    unevaluatedProperties: false,
  },
  ui: { fields: {}, headers: {}, order: [], sections: {} },
};

const inactive = <T extends object>(row: T): T => Object.assign({}, row, { is_active: false });

/**
 * What a site that held `before` is to hold after a run was undone: what the run created and cannot be taken away stays, inactive; new
 * subjects stay in the default group; where there was no form there is an empty one if the run wrote one.
 */
export const undoneFrom = (before: SiteState, after: SiteState): object => {
  const [choiceIds, subjectIds] = [before.choices, before.subjects].map((rows) => new Set(rows.map(({ id }) => id)));
  const left = after.choices.filter(({ id }) => !choiceIds?.has(id)).map(inactive);
  const people = after.subjects.filter(({ id }) => !subjectIds?.has(id)).map(inactive);
  return {
    types: before.types,
    choices: [...before.choices, ...left],
    subjects: [...before.subjects, ...people],
    groups: before.groups.map((group) =>
      group.id === before.default_group
        ? { ...group, subjects: [...group.subjects, ...people.map(({ id }) => id)] }
        : group,
    ),
    form: before.form ?? (after.form === null ? null : emptyForm),
  };
};

/** The same members of a site that is there, in the same order of rows. */
export const presentState = ({ types, choices, subjects, groups, form }: SiteState): object => ({
  types,
  choices,
  subjects,
  groups,
  form,
});
