import { isDeepStrictEqual } from 'node:util';
import { steps } from '@ranger-relay/operator';
import test from 'ava';
import { openNode } from './harness/node.ts';
import { report } from './harness/report.ts';
import { openGround, type OpenGround } from './kill-matrix/ground.ts';
import type { Lived } from './kill-matrix/life.ts';
import { aboutOf, countOf, isSure, kills, lifeOf, names, sides, tableOf } from './kill-matrix/table.ts';

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
    t.deepEqual(
      names.filter((step) => countOf(step, done) === 0),
      [],
    );
    t.deepEqual(
      done.filter(({ step, call }) => steps[step].call !== call),
      [],
    );
    t.deepEqual([deaths, broken], [[], []]);
    t.like(end, { applied: [2, 2, 6], site: { inUse: [0, 0, 0] }, holders: [''] });
    const commands = ['plan', 'plan', 'prune', 'resume', 'undo', 'undo-plan', 'verify'];
    t.deepEqual(
      end['jobs'],
      commands.map((command) => `${command} Complete`),
    );
  },
);

for (const step of names)
  test.serial(`${step}: whoever goes on when the operator dies before or after it comes to the same end`, async (t) => {
    t.timeout(maxMs);
    const { end, done } = await lived(whole);
    for (const side of sides) {
      const name = lifeOf(step, side);
      const disturbed = await lived(name);
      const died = aboutOf(step, disturbed.deaths);
      t.true(died.length > 0, `${name}: it never died ${side} ${step}`);
      if (isSure(step)) t.deepEqual(died, aboutOf(step, done), `${name}: not every ${step} was died of`);
      t.deepEqual(disturbed.end, end, `${name} came to another end than ${whole}`);
      t.deepEqual(disturbed.broken, [], name);
    }
  });

test.serial('all of it: one end, whichever call of whichever step was the last of a replica', async (t) => {
  t.timeout(maxMs);
  const lives = new Map<string, Lived>();
  for (const name of kills.keys()) await lived(name).then((life) => lives.set(name, life), t.log);
  const first = await lived(whole);
  t.log(`\n${tableOf(first, lives)}`);
  const value = [...lives.values()].flatMap(({ deaths }) => deaths).length;
  const holds = lives.size === kills.size && [...lives.values()].every(({ end }) => isDeepStrictEqual(end, first.end));
  const name = `operator: deaths in ${kills.size} lives`;
  report(t.log, [{ name, unit: '', value, bound: 'the end of an undisturbed life', holds }]);
  t.true(holds);
});
