import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { recordingTracing } from '../testing/index.ts';
import { readTraceparent, writeTraceparent } from './port.ts';

const hex = (digits: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
    .map((values) => values.map((value) => value.toString(16)).join(''))
    .filter((text) => /[^0]/.test(text));

testProp('what is written is read again', [hex(32), hex(16), fc.boolean()], (t, traceId, spanId, sampled) => {
  const parent = { traceId, spanId, sampled };
  t.deepEqual(readTraceparent(writeTraceparent(parent)), parent);
});

test('a malformed trace parent counts as none', async (t) => {
  const { tracing, spans } = recordingTracing();
  for (const parent of [
    '',
    'yes',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ])
    await tracing.span('work', { parent }, async () => undefined);
  t.is(spans.length, 6);
  t.true(spans.every(({ parentId }) => parentId === undefined));
});

test('spans of traces of their own have different, well-formed ids', async (t) => {
  const { tracing, spans } = recordingTracing();
  const parents = new Set<string | undefined>();
  for (let n = 0; n < 100; n += 1) parents.add(await tracing.span('work', {}, async ({ traceparent }) => traceparent));
  t.is(parents.size, 100);
  for (const parent of parents) t.truthy(readTraceparent(parent));
  t.is(new Set(spans.map(({ traceId }) => traceId)).size, 100);
});
