import test from 'ava';
import { namesIn, parseOperatorConfig } from './config.ts';

const valid = { JOB_IMAGE: 'registry.example/sync-tool:0.1.0' };

test('only the image has to be said', (t) => {
  t.like(parseOperatorConfig(valid), {
    PORT: 8085,
    CONCURRENCY: 4,
    JOB_IMAGE_PULL_POLICY: 'IfNotPresent',
    JOB_MEMORY_MIB: 512,
    JOB_DEADLINE_S: 7_200,
    WATCH_NAMESPACE: undefined,
  });
});

for (const [env, sentence] of [
  [{}, /^JOB_IMAGE is not set/],
  [{ ...valid, JOB_MEMORY_MIB: '64' }, /^JOB_MEMORY_MIB is "64", but takes a whole number from 256/],
  [{ ...valid, JOB_IMAGE_PULL_POLICY: 'Sometimes' }, /^JOB_IMAGE_PULL_POLICY is "Sometimes", but takes one of/],
  [{ ...valid, CONCURRENCY: '0' }, /^CONCURRENCY is "0"/],
  [{ ...valid, JOB_POD: '{' }, /^JOB_POD is "{", but takes a JSON object/],
  [{ ...valid, JOB_POD: '{"hostNetwork":true}' }, /^JOB_POD is/],
] as const)
  test(`is refused: ${JSON.stringify(env)}`, (t) => {
    t.throws(() => parseOperatorConfig(env), { message: sentence });
  });

test('names are separated by commas, and what is none is left out', (t) => {
  t.deepEqual(namesIn(' a, b-c ,,D,-x'), ['a', 'b-c']);
  t.deepEqual(namesIn(undefined), []);
});
