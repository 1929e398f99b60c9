import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { traceParentOf } from './trace-parent.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const w3c = `00-${trace}-00f067aa0ba902b7-01`;
const cloud = `${trace}/67667974448284343;o=1`;

const rows: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
  ['nothing', {}, undefined],
  ['traceparent', { traceparent: w3c }, w3c],
  ['traceparent in capitals', { TraceParent: w3c.toUpperCase() }, w3c],
  ['the cloud form', { 'x-cloud-trace-context': cloud }, w3c],
  ['the cloud form, not sampled', { 'x-cloud-trace-context': `${trace}/1;o=0` }, `00-${trace}-0000000000000001-00`],
  ['the cloud form without options', { 'x-cloud-trace-context': `${trace}/1` }, `00-${trace}-0000000000000001-00`],
  [
    'the largest span',
    { 'x-cloud-trace-context': `${trace}/18446744073709551615;o=1` },
    `00-${trace}-ffffffffffffffff-01`,
  ],
  ['a span that is too large', { 'x-cloud-trace-context': `${trace}/18446744073709551616;o=1` }, undefined],
  ['span 0', { 'x-cloud-trace-context': `${trace}/0;o=1` }, undefined],
  ['JSON with traceparent', { tracing_context: JSON.stringify({ traceparent: w3c }) }, w3c],
  ['JSON with the cloud form', { tracing_context: JSON.stringify({ 'x-cloud-trace-context': cloud }) }, w3c],
  [
    'both in JSON',
    { tracing_context: JSON.stringify({ 'x-cloud-trace-context': `${trace}/1`, traceparent: w3c }) },
    w3c,
  ],
  [
    'JSON before attributes',
    { tracing_context: JSON.stringify({ traceparent: w3c }), traceparent: w3c.replace('b7-', 'b8-') },
    w3c,
  ],
  ['JSON without a parent, then attributes', { tracing_context: '{}', traceparent: w3c }, w3c],
  ['a bad traceparent, then the cloud form', { traceparent: 'x', 'x-cloud-trace-context': cloud }, w3c],
  ['the word None', { tracing_context: 'None', traceparent: 'None' }, undefined],
  ['JSON that is no object', { tracing_context: '[1]' }, undefined],
  ['zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, undefined],
  ['an unknown version', { traceparent: w3c.replace('00-', 'ff-') }, undefined],
];
for (const [what, attributes, parent] of rows)
  test(`${what} gives ${parent ?? 'no parent'}`, (t) => {
    t.is(traceParentOf(attributes), parent);
  });

testProp(
  'whatever the attributes hold, the parent is well-formed or none',
  [fc.dictionary(fc.constantFrom('tracing_context', 'traceparent', 'x-cloud-trace-context'), fc.string())],
  (t, attributes) => {
    t.regex(traceParentOf(attributes) ?? w3c, /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/);
  },
);
