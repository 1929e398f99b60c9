import test from 'ava';
import { createPaint } from '@ranger-relay/terminal';
import { bodyText, headJson, letterLines, letterTable } from './format.ts';
import type { LetterHead } from './letters.ts';
import { letter } from './test/harness.ts';

const head: LetterHead = {
  id: 'id-1',
  kind: 'message',
  integration_id: null,
  reason: 'item_refused',
  received_at: '2026-01-01T00:00:00.000Z',
  failed_at: '2026-01-01T00:00:00.000Z',
  attempts: 1_234,
  kept_bytes: 5,
  sos: null,
  stored: { at: Date.UTC(2026, 0, 1), partition: 2, offset: 9n },
};

test('the table stands in columns', (t) => {
  t.deepEqual(letterTable([head], 0, Date.UTC(2026, 0, 1, 0, 2), createPaint(false)), [
    'id    kind     reason           failed  tries  integration',
    'id-1  message  item_refused  2 min ago  1 234  –',
    '',
    '1 dead letter. Look at one: ranger-relay dlq show <id>',
  ]);
});

test('an SOS is marked in the table, in its closing line and in the JSON', (t) => {
  const sos: LetterHead = {
    ...head,
    id: 'id-2',
    sos: { state: 'declared', source: '300434030000001', event_id: 'e', recorded_at: null, parts: [] },
  };
  const lines = letterTable([head, sos], 0, Date.UTC(2026, 0, 1, 0, 2), createPaint(true));
  t.true(lines[2]?.includes(createPaint(true).red('SOS message')));
  t.false(lines[1]?.includes('SOS'));
  t.is(lines[4], '2 dead letters, 1 of an SOS. Look at one: ranger-relay dlq show <id>');
  t.like(headJson(sos), { sos: 'declared' });
});

test('a head as JSON holds no bigint and says when it was stored', (t) => {
  const { stored: _, ...rest } = head;
  t.deepEqual(JSON.parse(JSON.stringify(headJson(head))), { ...rest, stored_at: '2026-01-01T00:00:00.000Z' });
});

const textOf = (bytes: number[]) => bodyText(letter({ body_base64: Buffer.from(bytes).toString('base64') }));

test('text is UTF-8 without zero bytes', (t) => {
  t.is(textOf([0x61, 0xc3, 0xa4]), 'aä');
  t.is(textOf([]), '');
  t.is(textOf([0x61, 0x00]), null);
  t.is(textOf([0xc3]), null);
});

test('a letter without an origin has a dash there', (t) => {
  t.true(letterLines(letter({ origin: null }), null, createPaint(false)).some((line) => /^origin +–$/.test(line)));
});

const last = (body: unknown) => letterLines(letter({ body }), null, createPaint(false)).at(-1);

test('a JSON body is laid out, and what is no JSON is kept', (t) => {
  t.is(last({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}');
  t.is(last('a\tb\r\nc'), 'a  b\nc');
});
