import test from 'ava';
import { parseSwitch } from './fault.ts';

const good: readonly object[] = [
  { fault: 'status', status: 429, retry_after: 2, integration: 'a', count: 1 },
  { fault: 'status', status: 500, when: 'marked' },
  { fault: 'hang', when: 'after' },
  { fault: 'half_body' },
  { fault: 'reset' },
  { fault: 'slow', ms: 0 },
  { fault: 'refuse_item', field: 'source', equals: 'x' },
  { fault: 'fail_item', fields: { source: 'x' } },
];

const bad: readonly unknown[] = [
  null,
  [],
  'hang',
  {},
  { fault: 'explode' },
  { fault: 'status' },
  { fault: 'status', status: 99 },
  { fault: 'slow' },
  { fault: 'refuse_item' },
  { fault: 'hang', count: 0 },
  { fault: 'hang', when: 'never' },
  { fault: 'status', status: 400, body: { name: ['bad'] } },
];

for (const raw of good)
  test(`is a switch: ${JSON.stringify(raw)}`, (t) => {
    t.is(parseSwitch(raw), raw as never);
  });

for (const raw of bad)
  test(`is no switch: ${JSON.stringify(raw)}`, (t) => {
    t.is(typeof parseSwitch(raw), 'string');
  });
