import { defineAction, type ActionContext } from '@ranger-relay/actions';
import { runActionCommandSchema } from '@ranger-relay/contracts';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { loopbackPlatform } from './test/loopback-platform.ts';
import { busOf, configOf, startRunner, storeOf, valuesOn } from './test/started.ts';

const park = '11111111-2222-4333-8444-555555555555';
const names = { INTEGRATION_EVENTS_TOPIC: 'log-of-park', INTEGRATION_COMMANDS_TOPIC: 'commands-of-park' };

const fields = z.object({ step: z.number().default(1) });

/** A runner on a bus that has only the topics that are named, with a pull that goes on until its last step. */
const setUp = async (t: ExecutionContext, lastStep: number) => {
  const platform = await loopbackPlatform(t, park);
  platform.configurations = { pull_all: { run_on_schedule: true } };
  const config = configOf({ ...platform.env, ...names });
  const { bus } = await busOf(t, config);
  const ended = Promise.withResolvers<void>();
  const steps: [number, string][] = [];
  const action_pull_all = defineAction({
    type: 'pull',
    config: fields,
    run: ({ config: { step }, triggeredBy, goOn }: ActionContext<z.output<typeof fields>>) => {
      steps.push([step, triggeredBy]);
      if (step < lastStep) goOn({ step: step + 1 });
      else ended.resolve();
      return { step };
    },
  });
  const runner = await startRunner(t, { config, bus, kv: await storeOf(t), handlers: { action_pull_all } });
  return { bus, runner, ended, steps };
};

test('commands and the activity log go to the topics that are named, and commands come from there', async (t) => {
  const { bus, runner, ended, steps } = await setUp(t, 1);
  t.is((await runner.execute(park, 'pull_all', { run_in_background: true })).status, 200);
  await ended.promise;
  await runner.context.lifecycle.stop();
  t.deepEqual(steps, [[1, 'manual']]);
  t.like((await valuesOn(bus, 'commands-of-park'))[0], { integration_id: park, action_id: 'pull_all' });
  t.deepEqual(
    (await valuesOn(bus, 'log-of-park')).map(({ event_type }) => event_type),
    ['IntegrationActionStarted', 'IntegrationActionComplete'],
  );
});

test('a run that goes on finds its next command in the topic that is named, until its last step', async (t) => {
  const { bus, runner, ended, steps } = await setUp(t, 3);
  t.like(await runner.execute(park, 'pull_all'), { status: 200, json: { step: 1 } });
  await ended.promise;
  await runner.context.lifecycle.stop();
  t.deepEqual(steps, [
    [1, 'manual'],
    [2, 'manual'],
    [3, 'manual'],
  ]);
  const commands = (await valuesOn(bus, 'commands-of-park')).map((value) => runActionCommandSchema.parse(value));
  t.deepEqual(
    commands.map(({ config_overrides, payload, triggered_by }) => [config_overrides, payload, triggered_by]),
    [2, 3].map((step) => [{ step }, { self_triggered: true }, 'manual']),
  );
  t.is((await valuesOn(bus, 'log-of-park')).length, 6);
});
