import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { gadgets } from '../test/harness.ts';
import { readEvent } from './event.ts';

const read = (value: unknown) =>
  readEvent(typeof value === 'string' ? value : JSON.stringify(value), gadgets, 'GET /x');
const object = { metadata: { name: 'a', namespace: 'park', uid: 'u', resourceVersion: '5' } };

test('each kind of line is read, with the kind of its object', (t) => {
  const whole = { apiVersion: 'example.test/v1', kind: 'Gadget', ...object };
  t.deepEqual(read({ type: 'ADDED', object }), { type: 'changed', object: whole });
  t.deepEqual(read({ type: 'MODIFIED', object }), { type: 'changed', object: whole });
  t.deepEqual(read({ type: 'DELETED', object }), { type: 'deleted', object: whole });
  t.deepEqual(read({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }), {
    type: 'bookmark',
    version: '9',
  });
  t.deepEqual(read({ type: 'LATER_KIND', object: {} }), { type: 'other' });
});

for (const [what, line] of [
  ['cut', '{"type":"ADDED","object":{"meta'],
  ['a text', '"ADDED"'],
  ['an object without a name', { type: 'ADDED', object: { metadata: { resourceVersion: '1' } } }],
  ['an object without a version', { type: 'ADDED', object: { metadata: { name: 'a' } } }],
  [
    'an object whose namespace is no text',
    { type: 'ADDED', object: { metadata: { ...object.metadata, namespace: 7 } } },
  ],
  ['a bookmark without a version', { type: 'BOOKMARK', object: { metadata: {} } }],
  ['nothing', { type: 'ADDED' }],
] as const)
  test(`a line is refused that is ${what}`, (t) => {
    t.true(
      isRelayError(
        t.throws(() => read(line)),
        'kube_answer_unreadable',
      ),
    );
  });

test('a line that tells of an error is that error', (t) => {
  const code = (object: unknown) => {
    const error = t.throws(() => read({ type: 'ERROR', object }));
    return isRelayError(error) ? error.code : error;
  };
  t.is(code({ kind: 'Status', code: 410, reason: 'Expired' }), 'kube_version_gone');
  t.is(code({ kind: 'Status', code: 400, reason: 'Expired' }), 'kube_version_gone');
  t.is(code({ kind: 'Status', code: 429, reason: 'TooManyRequests' }), 'kube_throttled');
  t.is(code(null), 'kube_unreachable');
});
