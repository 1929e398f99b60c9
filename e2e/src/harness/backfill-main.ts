import { join } from 'node:path';
import { compose, parseRunnerConfig } from '@ranger-relay/action-runner';
import { commandsTopicSpec } from '@ranger-relay/actions';
import { openEmbeddedBus, type Bus } from '@ranger-relay/bus';
import { openEmbeddedKv } from '@ranger-relay/kv';
import { platformSettings } from '@ranger-relay/platform';
import { createContext } from '@ranger-relay/runtime';
import { connectPlatform, topicsOf } from '@ranger-relay/service';
import { fastClock } from './fast-clock.ts';

// The action runner as it is, on the embedded bus and store of DATA_DIR, with a clock that runs faster from a given moment on.
const { env } = process;
const speed = Number(env['CLOCK_SPEED'] ?? '1');
const directory = env['DATA_DIR'] ?? '.';
const config = parseRunnerConfig(env);
const real = createContext({ service: 'action-runner', level: config.LOG_LEVEL });
const context = { ...real, clock: fastClock(real.clock, Number(env['CLOCK_FROM'] ?? '0'), speed) };
const { log, random, metrics, clock } = context;

/** Disks are not faster than the clock of everybody. */
const patient = (bus: Bus): Bus => ({
  ...bus,
  publish: (topic, records, options = {}) =>
    bus.publish(topic, records, { deadlineMs: (options.deadlineMs ?? 4_000) * speed }),
});

const topics = topicsOf(config, [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)]);
const bus = patient(
  await openEmbeddedBus({ path: join(directory, 'bus.sqlite'), topics, clock, random, log, metrics }),
);
const kv = await openEmbeddedKv({ path: join(directory, 'kv.sqlite'), clock, log, deadlineMs: 2_000 * speed });
const platform = connectPlatform(context, { bus, kv }, config, platformSettings(config));
const { port } = await compose(context, { bus, kv, platform }, config);
process.stdout.write(`${JSON.stringify({ port })}\n`);
