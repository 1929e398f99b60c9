import { defineAction, discoverActions, schedulesOf, type DefinedAction } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { memoryKv } from '@ranger-relay/kv/testing';
import type { IntegrationChange } from '@ranger-relay/simulators';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import type { ExecutionContext } from 'ava';
import type { Command } from 'commander';
import { z } from 'zod';
import { platformFor, variablesOf } from '../../register/test/platform.ts';
import type { Catalogues } from '../services.ts';
import type { ActionsDependencies } from '../workbench.ts';

/** A site's integration. */
export const park = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';
/** Secret of its configuration. */
export const password = 'the-password-of-the-park';
/** Configuration with which the scheduled pull runs. */
export const goodConfig = { days: 2, password, run_on_schedule: true };

const config = z.object({
  days: z.number().default(1),
  password: z.string().default('').meta({ secret: true }),
});

const action = (type: 'pull' | 'auth' | 'push', parts: object = {}): DefinedAction =>
  defineAction({ type, config, run: () => null, ...parts });

const runner = discoverActions({
  action_pull: action('pull', { schedule: '15 * * * *' }),
  action_auth: action('auth'),
});
const pusher = discoverActions({ action_push: action('push', { model: 'Text*' }), action_auth: action('auth') });

/** Actions of their own, so that no test depends on those of the services. */
export const catalogues: Catalogues = { runner, pusher, schedules: schedulesOf(runner) };

/** A store that a command may close while the test goes on with it. */
const lent = <T extends Bus | KeyValue>(store: T): T => ({ ...store, close: async () => undefined });

/** What differs from test to test. */
export interface HarnessOptions {
  /** Of the integration at the simulated platform; null: no platform is configured. */
  readonly integration?: IntegrationChange | null;
  readonly env?: NodeJS.ProcessEnv;
  /** Makes the commands under test. */
  readonly commands: (dependencies: ActionsDependencies) => readonly Command[];
}

/** A temporary bus and store, a simulated platform, and commands on them. */
export const harness = async (t: ExecutionContext, { integration = {}, env = {}, commands }: HarnessOptions) => {
  const platform =
    integration &&
    (await platformFor(t, { integrations: [{ id: park, name: 'Park', type: 'site_connector', ...integration }] }));
  const outside = platform && variablesOf(platform);
  const shell = recordingShell({ env: { ...outside, ...env } });
  const bus = memoryBus(shell.clock);
  const kv = memoryKv(shell.clock);
  const openStores = async () => ({ bus: lent(bus), kv: lent(kv) });
  const program = createProgram(shell, testAbout, commands({ shell, openStores, catalogues: () => catalogues }));

  const run = async (...args: string[]) => {
    shell.lines.length = 0;
    shell.errors.length = 0;
    shell.fail(0);
    const code = await runProgram(shell, program, args);
    const out = shell.lines.join('\n');
    return { code: code === 0 ? shell.exitCode() : code, out, err: shell.errors.join('\n') };
  };

  return {
    shell,
    bus,
    kv,
    platform,
    run,
    /** What a call prints with `--output json`. */
    async json<T>(...args: string[]): Promise<T> {
      const { out, err } = await run(...args, '--output', 'json');
      if (out === '') throw new Error(err);
      return JSON.parse(out) as T;
    },
    /** Puts an entry of the action into the activity log. */
    tell: (at: number, type: string, payload: object = {}, actionId = 'pull') =>
      bus.publish(topics.integrationEvents.name, [
        {
          key: park,
          value: JSON.stringify({
            event_id: `event-${at}`,
            timestamp: new Date(at).toISOString(),
            schema_version: 'v1',
            event_type: `IntegrationAction${type}`,
            payload: { integration_id: park, action_id: actionId, ...payload },
          }),
        },
      ]),
    /** The entries of the activity log. */
    async entries(): Promise<{ event_type: string; payload: Record<string, unknown> }[]> {
      const found = [];
      for await (const { value } of bus.read({ topic: topics.integrationEvents.name }))
        found.push(
          JSON.parse(Buffer.from(value).toString('utf8')) as { event_type: string; payload: Record<string, unknown> },
        );
      return found;
    },
  };
};
