import { resolve as resolvePath } from 'node:path';
import { runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { discoverActions } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import type { TopicAdmin } from '@ranger-relay/bus/kafka';
import { memoryBus } from '@ranger-relay/bus/testing';
import type { Resolve } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import { memoryKv } from '@ranger-relay/kv/testing';
import { handlers } from '@ranger-relay/message-pusher';
import { simulatorClock, type IntegrationChange } from '@ranger-relay/simulators';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import type { ExecutionContext } from 'ava';
import type { Catalogues } from '../../actions/services.ts';
import { platformFor, variablesOf } from '../../register/test/platform.ts';
import { doctorCommand } from '../command.ts';
import { readMarker } from '../../data-dir/index.ts';
import type { RunningProcess } from '../../status/ask.ts';
import type { Finding } from '../finding.ts';

/** The integration of a site, and that of devices. */
export const [site, device] = ['2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01', '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a02'];

const catalogues = (): Catalogues => {
  const type = runnerType({ ACTION_SCHEDULES: undefined });
  return { runner: type.catalogue, pusher: discoverActions(handlers), schedules: runnerSchedules(type) };
};

/** What differs from test to test. */
export interface HarnessOptions {
  readonly integrations?: readonly (IntegrationChange & { readonly id: string })[];
  readonly env?: NodeJS.ProcessEnv;
  readonly resolve?: Resolve;
  /** A bus on a cluster, looked after by this topic admin. */
  readonly admin?: TopicAdmin;
  /** What runs; a process that is well when left out. */
  readonly running?: RunningProcess | null;
}

const wellRunning: RunningProcess = {
  dataDir: '/data',
  verdict: { level: 'ok', text: 'Everything works, nothing waits', problems: [] },
};

const lent = <T extends Bus | KeyValue>(store: T): T => ({ ...store, close: async () => undefined });

/** A platform, stores of this machine, and the command on them; with `null` no platform is configured. */
export const harness = async (t: ExecutionContext, options: HarnessOptions | null = {}) => {
  const { integrations = [], env = {}, resolve, admin, running = wellRunning } = options ?? {};
  const platform = await platformFor(t, { integrations });
  const shell = recordingShell({
    env: options === null ? {} : { ...variablesOf(platform), AUTH_TOKEN: 'word-of-callers', ...env },
  });
  // Platform and sites tell their time, which is true.
  shell.clock.jump(simulatorClock.now() - shell.clock.now());
  const bus = memoryBus(shell.clock);
  const kv = memoryKv(shell.clock);
  const stores = { bus: lent(bus), kv: lent(kv) };
  const program = createProgram(shell, testAbout, [
    doctorCommand({
      shell,
      isRemote: () => admin !== undefined,
      openBus: async () => stores.bus,
      openStores: async () => stores,
      dataDir: () => resolvePath(env['DATA_DIR'] ?? '.data'),
      busSince: async () => (await readMarker(resolvePath(env['DATA_DIR'] ?? '.data')))?.bus_since ?? null,
      openKv: async () => stores.kv,
      findRunning: async () => running,
      openTopicAdmin: () => admin as TopicAdmin,
      catalogues,
      ...(resolve ? { resolve } : {}),
    }),
  ]);
  const run = async (...args: string[]) => {
    shell.lines.length = 0;
    shell.errors.length = 0;
    shell.fail(0);
    const code = await runProgram(shell, program, ['doctor', ...args]);
    return { code: code === 0 ? shell.exitCode() : code, out: shell.lines.join('\n'), err: shell.errors.join('\n') };
  };
  return {
    shell,
    platform,
    bus,
    kv,
    stores,
    run,
    /** The findings by name. */
    async found(...args: string[]): Promise<{ readonly ok: boolean; readonly of: (name: string) => Finding[] }> {
      const { out, err } = await run('--output', 'json', ...args);
      if (out === '') throw new Error(err);
      const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Finding[] };
      return { ok, of: (name) => checks.filter((finding) => finding.name === name) };
    },
  };
};
