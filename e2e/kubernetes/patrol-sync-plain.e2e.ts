import { readFileSync } from 'node:fs';
import test from 'ava';
import { sessionsOf } from '../src/harness/console-blocks.ts';
import { inUse } from '../src/harness/sync.ts';
import { openNode } from './harness/node.ts';
import { openPatrols, type Patrols } from './harness/patrols.ts';
import { repeat } from './harness/sessions.ts';

let here: Patrols;

test.before(async (t) => {
  here = await openPatrols(await openNode(t), 'patrol-plain');
});
test.after.always(() => here?.remove());

const readme = readFileSync(new URL('../../k8s/README.md', import.meta.url), 'utf8');
const sessions = sessionsOf(readme, 'The patrol sync as plain manifests');

test.serial('as plain manifests the sync runs, is verified and taken back as the document says', async (t) => {
  t.timeout(600_000);
  const [forward = [], back = []] = sessions;
  t.deepEqual([forward.length > 5, back.length > 3, sessions.length], [true, true, 2]);
  for (const step of forward) await repeat(t, here, step, 'site.example');
  const [types, subjects, choices] = inUse(here.harness);
  t.true(types > 0 && subjects > 0 && choices > 0);
  for (const step of back) await repeat(t, here, step, 'site.example');
  t.deepEqual(inUse(here.harness), [0, 0, 0]);
});
