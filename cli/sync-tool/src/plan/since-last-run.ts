import { choiceKey } from '../resources/choice.ts';
import type { Desired } from '../resources/index.ts';
import type { LastRun } from '../run/known-records.ts';
import { isLater } from './subjects.ts';

/** What the last run had in use and the bundle does not name any more, as the site knows it. */
const removed = ({ needs }: LastRun, { types, choices, fields }: Pick<Desired, 'types' | 'choices' | 'fields'>) => {
  const named = new Set(types.map(({ value }) => value));
  const properties = new Set(fields.map(({ property }) => property));
  const options = Object.entries(needs.choices).flatMap(([field, values]) => {
    const there = new Set((choices.get(field) ?? []).map(({ value }) => choiceKey(field, value)));
    return values.filter((value) => !there.has(choiceKey(field, value))).map((value) => `option ${value} of ${field}`);
  });
  return [
    ...options,
    ...needs.patrol_types.filter((value) => !named.has(value)).map((value) => `patrol type ${value}`),
    ...Object.keys(needs.fields)
      .filter((property) => !properties.has(property))
      .map((property) => `field ${property}`),
  ];
};

const maxNamed = 10;

/** Says how the bundle differs from that of the last run where a run changes nothing, or changes back. */
export const sinceLastRun = (
  last: LastRun | undefined,
  asked: Pick<Desired, 'types' | 'choices' | 'fields'>,
  exportedAt: string,
): string[] => {
  if (!last) return [];
  const names = removed(last, asked);
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return [
    ...(isLater(last.exportedAt, exportedAt)
      ? [
          `the bundle was exported at ${exportedAt}, before that of the last run (${last.exportedAt}): the run takes back what has changed in between`,
        ]
      : []),
    ...(names.length > 0
      ? [
          `the bundle does not name any more what the last run had in use: ${names.slice(0, maxNamed).join(', ')}${more}; a run leaves it as it is on the site`,
        ]
      : []),
  ];
};
