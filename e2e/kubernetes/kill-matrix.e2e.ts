import { type StepName, steps } from '@ranger-relay/operator';
import test from 'ava';
import { openNode } from './harness/node.ts';
import { openGround, type OpenGround } from './kill-matrix/ground.ts';
import type { Kill } from './kill-matrix/killer.ts';
import type { Lived } from './kill-matrix/life.ts';

/** Every step of the operator. */
const names = Object.keys(steps) as readonly StepName[];

/**
 * The lives that are disturbed, by the name of the namespace that they are lived in: a Job is made, or let go, and nobody hears of it; whatever
 * else brings something about is not done. Every other call is died of against the API server in memory.
 */
const kills: ReadonlyMap<string, Kill> = new Map<string, Kill>([
  ['life-createjob-after', { steps: ['CreateJob'], when: 'after' }],
  ['life-releasejob-after', { steps: ['ReleaseJob'], when: 'after' }],
  [
    'life-removejob-before',
    { steps: ['RemoveJob', 'AcquireSiteLock', 'ReleaseSiteLock', 'StepAside'], when: 'before' },
  ],
]);

/** What the calls of a step were about, each once. */
const aboutOf = (step: StepName, points: Lived['done']): readonly string[] =>
  [...new Set(points.filter((point) => point.step === step).map(({ what }) => what))].toSorted();

const maxMs = 900_000;
const whole = 'life-whole';

let ground: OpenGround;

test.before(async (t) => {
  ground = await openGround(await openNode(t), new Map([[whole, undefined], ...kills]));
});
test.after.always(() => ground?.close());

const lived = (name: string): Promise<Lived> => ground.lived(name);

test.serial(
  'a life that nobody disturbs makes every step of the table, with the calls that the table names',
  async (t) => {
    t.timeout(maxMs);
    const { done, deaths, end, broken } = await lived(whole);
    const missing = names.filter((name) => !done.some(({ step }) => step === name));
    const others = done.filter(({ step, call }) => steps[step].call !== call);
    t.deepEqual([missing, others, deaths, broken], [[], [], [], []]);
    t.like(end, { applied: [2, 2, 6], site: { inUse: [0, 0, 0] }, holders: [''] });
    const commands = ['plan', 'plan', 'prune', 'resume', 'undo', 'undo-plan', 'verify'];
    const complete = commands.map((command) => `${command} Complete`);
    t.deepEqual(end['jobs'], complete);
  },
);

for (const [name, { steps: killed, when }] of kills)
  test.serial(`${name}: whoever goes on when the operator dies comes to the same end`, async (t) => {
    t.timeout(maxMs);
    const { end, done } = await lived(whole);
    const disturbed = await lived(name);
    for (const step of killed) {
      const died = aboutOf(step, disturbed.deaths);
      t.true(died.length > 0, `it never died ${when} ${step}`);
      t.deepEqual(died, aboutOf(step, done), `not every ${step} was died of`);
    }
    t.deepEqual(disturbed.end, end, `${name} came to another end than ${whole}`);
    t.deepEqual(disturbed.broken, []);
  });
