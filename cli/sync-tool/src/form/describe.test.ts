import test from 'ava';
import { describeChange } from './describe.ts';
import { mergeForm } from './merge.ts';
import { plannedForm } from './planned.ts';
import { ourFields } from './test/fields.ts';
import type { FormChange } from './model.ts';

test('every change is one line that names what it changes', (t) => {
  const changes: readonly FormChange[] = [
    ...mergeForm(null, ourFields, { replace: false }).changes,
    ...mergeForm(plannedForm(ourFields), [], { replace: true }).changes,
    { change: 'half-added', property: 'armed', half: 'ui' },
    { change: 'kind-fixed', property: 'armed', from: 'text', to: 'boolean' },
    { change: 'options-fixed', property: 'station', from: 'x', to: 'patrol_station' },
    { change: 'title-changed', property: 'ext_a', from: 'A', to: 'B' },
    { change: 'deprecated-changed', property: 'ext_a', to: true },
    { change: 'deprecated-changed', property: 'ext_a', to: false },
    { change: 'section-shown', section: 'section-ext' },
    { change: 'replaced', dropped: [] },
  ];
  const lines = changes.map((change) => describeChange(change));
  t.is(new Set(lines).size, lines.length);
  t.true(lines.includes('rename ext_a: "A" → "B"'));
  t.true(lines.includes('add the field armed "Armed"'));
  for (const line of lines) t.regex(line, /^[a-z].*\S$/);
});
