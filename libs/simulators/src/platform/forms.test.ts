import test from 'ava';
import { formProblems, scheduleProblem } from './forms.ts';

const text = { type: 'string' };
const schema = {
  definitions: {},
  properties: { kind: { ...text, oneOf: [{ const: 'a', title: 'A' }] }, end: { ...text, format: 'date-time' } },
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema names it so
  then: { properties: { token: { ...text, format: 'password', writeOnly: true } } },
  else: { properties: { count: { type: 'integer' } } },
};
const ui = {
  'ui:order': ['kind', 'end', 'token', 'count'],
  end: { 'ui:widget': 'date-time' },
  count: { 'ui:widget': 'updown' },
};

test('a form that the portal can draw has no problems', (t) => {
  t.deepEqual(formProblems(schema, ui), []);
});

const withMember = (member: object): object => ({ ...schema, properties: { ...schema.properties, end: member } });
const plainUi = { ...ui, end: {} };
for (const [what, wrong, hints] of [
  ['it has no definitions', { ...schema, definitions: undefined }, ui],
  ['it refers to #/$defs/A', withMember({ $ref: '#/$defs/A' }), plainUi],
  ['ui:order does not name each member', schema, { ...ui, 'ui:order': ['kind', 'end', 'token'] }],
  ['end is a choice with null', withMember({ anyOf: [text, { type: 'null' }] }), plainUi],
  ['end has values without titles', withMember({ enum: ['a'] }), plainUi],
  ['end is a password that is shown', withMember({ ...text, format: 'password' }), plainUi],
  ['end lacks the widget date-time', schema, plainUi],
  ['count lacks the widget updown', schema, { ...ui, count: undefined }],
] as const)
  test(`the portal cannot draw a form: ${what}`, (t) => {
    t.deepEqual(formProblems(wrong, hints), [what]);
  });

const every = { minute: '*', hour: '*', day_of_week: '*', day_of_month: '*', month_of_year: '*', tz_offset: 0 };
for (const [good, schedule] of [
  [true, { minute: '*/10', hour: '1-5/2,7', day_of_week: '5-6,0', tz_offset: -5 }],
  [false, { day_of_week: '7' }],
  [false, { day_of_week: '5-7' }],
  [false, { day_of_week: 'mon-fri' }],
  [false, { month_of_year: 'jan' }],
  [false, { minute: '5-1' }],
  [false, { minute: '*/0' }],
  [false, { hour: undefined }],
  [false, { tz_offset: '0' }],
] as const)
  test(`the platform ${good ? 'takes' : 'refuses'} the schedule ${JSON.stringify(schedule)}`, (t) => {
    t.is(scheduleProblem({ ...every, ...schedule }) === undefined, good);
  });
