import { isObject, type Body as Schema } from '../json.ts';

const object = (value: unknown): Schema => (isObject(value) ? value : {});

/** Members of a form, those of its branches too. */
const membersOf = (schema: Schema): readonly (readonly [string, Schema])[] =>
  [schema, object(schema['then']), object(schema['else'])].flatMap((part) =>
    Object.entries(object(part['properties'])).map(([name, member]) => [name, object(member)] as const),
  );

const widgets: readonly (readonly [widget: string, applies: (member: Schema) => boolean])[] = [
  ['date-time', ({ format }) => format === 'date-time'],
  ['updown', ({ type }) => type === 'integer'],
];

const memberProblems = (name: string, member: Schema, ui: Schema): string[] => [
  ...(JSON.stringify(member).includes('"type":"null"') ? [`${name} is a choice with null`] : []),
  ...('enum' in member ? [`${name} has values without titles`] : []),
  ...(member['format'] === 'password' && member['writeOnly'] !== true ? [`${name} is a password that is shown`] : []),
  ...widgets.flatMap(([widget, applies]) =>
    applies(member) && object(ui[name])['ui:widget'] !== widget ? [`${name} lacks the widget ${widget}`] : [],
  ),
];

/** What the portal would draw wrongly of a form (platform contract, registration); the platform itself takes any. */
export const formProblems = (schema: unknown, ui_schema: unknown): readonly string[] => {
  const [form, ui] = [object(schema), object(ui_schema)];
  const members = membersOf(form);
  const order = ui['ui:order'];
  const isOrdered =
    Array.isArray(order) &&
    [...order].sort().join() ===
      members
        .map(([name]) => name)
        .sort()
        .join();
  const refs = [...JSON.stringify(form).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref = '']) => ref);
  return [
    ...(isObject(form['definitions']) ? [] : ['it has no definitions']),
    ...refs.filter((ref) => !ref.startsWith('#/definitions/')).map((ref) => `it refers to ${ref}`),
    ...(isOrdered ? [] : ['ui:order does not name each member']),
    ...members.flatMap(([name, member]) => memberProblems(name, member, ui)),
  ];
};

/** Bounds of the fields of a schedule, as the scheduler of the platform reads them: digits only. */
const bounds: Readonly<Record<string, readonly [min: number, max: number]>> = {
  minute: [0, 59],
  hour: [0, 23],
  day_of_week: [0, 6],
  day_of_month: [1, 31],
  month_of_year: [1, 12],
};

const isField = (text: unknown, [min, max]: readonly [number, number]): boolean =>
  typeof text === 'string' &&
  text.split(',').every((part) => {
    const found = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/([1-9]\d*))?$/.exec(part);
    if (!found) return false;
    const [, from = String(min), to = from] = found;
    return Number(from) >= min && Number(to) <= max && Number(from) <= Number(to);
  });

/** Why the platform refuses a schedule; undefined for a good one. */
export const scheduleProblem = (schedule: unknown): string | undefined => {
  if (!isObject(schedule)) return 'expected a dictionary.';
  const wrong = Object.entries(bounds).find(([name, range]) => !isField(schedule[name], range));
  if (wrong) return `${wrong[0]}: "${String(schedule[wrong[0]])}" is not a valid crontab field.`;
  return Number.isInteger(schedule['tz_offset']) ? undefined : 'tz_offset: a valid integer is required.';
};
