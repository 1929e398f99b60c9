import type { Command } from 'commander';
import { loadCommands, type LazyCommand, type Shell } from '@ranger-relay/terminal';
import { withIntegrations } from './integrations.ts';
import { storeOpeners, withStoresHelp } from './open-stores.ts';

/** What commands are made with. */
interface Parts {
  readonly shell: Shell;
  readonly process: NodeJS.Process;
  readonly openers: ReturnType<typeof storeOpeners>;
}

/** What commands about actions need. */
const forActions = async () => {
  const { cataloguesOf } = await import('../actions/catalogues.ts');
  return ({ shell, openers: { openStores } }: Parts) => ({ shell, openStores, catalogues: cataloguesOf });
};

/** Dependencies of `why`. */
const forDoctor = async () => {
  const [{ topicAdminOf }, { cataloguesOf }, { isLocked, runningUp }, { statusOfStores, statusOfUp }] =
    await Promise.all([
      import('../topics/topic-admin.ts'),
      import('../actions/catalogues.ts'),
      import('../data-dir/index.ts'),
      import('../status/command.ts'),
    ]);
  return ({ shell, openers: { isRemote, openBus, openKv, openStores, dataDir } }: Parts) => ({
    shell,
    isRemote,
    openBus,
    openKv,
    async findRunning() {
      if (isRemote()) return { verdict: (await statusOfStores({ openStores, openKv }, shell.clock)).verdict };
      if (!isLocked(dataDir())) return null;
      const found = await runningUp(dataDir())
        .then(statusOfUp)
        .catch(() => null);
      return { verdict: found?.verdict ?? null, dataDir: dataDir() };
    },
    openTopicAdmin: () => topicAdminOf(shell),
    catalogues: cataloguesOf,
  });
};

/** Loaded when it is called: a start needs none of it. */
const counterpartsFor = (parts: Parts) => async (): Promise<boolean> => {
  const [{ counterpartsOf }, partsOf] = await Promise.all([import('../doctor/command.ts'), forDoctor()]);
  return counterpartsOf(partsOf(parts))();
};

const entries: Readonly<Record<string, LazyCommand<Parts>>> = {
  up: {
    description: 'Run the whole system in one process, with simulators while no platform is configured',
    async load() {
      const { upCommand } = await import('../up/command.ts');
      return (parts) => upCommand({ shell: parts.shell, process: parts.process, counterparts: counterpartsFor(parts) });
    },
  },
  simulate: {
    description: 'Send the traffic of a fleet to an ingester and summarize the responses',
    async load() {
      const { simulateCommand } = await import('../simulate/command.ts');
      return ({ shell }) => simulateCommand({ shell });
    },
  },
  status: {
    description: 'Print what is wrong, the SOS calls, and what was sent and waits',
    async load() {
      const { statusCommand } = await import('../status/command.ts');
      const { runningUp } = await import('../data-dir/index.ts');
      return ({ shell, openers: { isRemote, openStores, openKv, dataDir } }) => {
        const findUp = async () =>
          runningUp(dataDir()).catch(async (error: unknown) => {
            const { whyNone } = await import('../up/neighbour.ts');
            throw await whyNone(error, dataDir(), shell.env);
          });
        return withStoresHelp(statusCommand(shell, { isRemote, openStores, openKv, findUp }));
      };
    },
  },
  sos: {
    description: 'Print every SOS of the last 30 days with its steps; exit with 1 while one is open',
    async load() {
      const [{ sosCommand }, { readMarker }, { statusOfStores }, partsOf] = await Promise.all([
        import('../sos/command.ts'),
        import('../data-dir/index.ts'),
        import('../status/command.ts'),
        forDoctor(),
      ]);
      return (parts) => {
        const { openBus, openKv, sender, dataDir, isRemote } = parts.openers;
        const { findRunning } = partsOf(parts);
        const findProblems = async () => {
          const told = isRemote() ? null : await findRunning().catch(() => null);
          const verdict = told?.verdict ?? (await statusOfStores(parts.openers, parts.shell.clock)).verdict;
          return verdict.problems;
        };
        const busSince = async () => (isRemote() ? null : ((await readMarker(dataDir()))?.bus_since ?? null));
        const { shell } = parts;
        return withStoresHelp(sosCommand({ shell, openBus, openKv, sender, dataDir, findProblems, busSince }));
      };
    },
  },
  activity: {
    description: 'Print the activity log: one line or JSON object per event, in time order',
    async load() {
      const { activityCommand } = await import('../activity/command.ts');
      return ({ shell, openers: { openBus, activityTopic, sender } }) =>
        withStoresHelp(activityCommand({ shell, openBus, topic: activityTopic, sender }));
    },
  },
  dlq: {
    description: 'List, show, replay or drop dead letters (records that could not be processed)',
    async load() {
      const { dlqCommand } = await import('../dlq/command.ts');
      return ({ shell, openers: { openStores, sender } }) => withStoresHelp(dlqCommand({ shell, openStores, sender }));
    },
  },
  topics: {
    description: 'Create or check the topics of an installation on Kafka',
    async load() {
      const { topicsCommand } = await import('../topics/command.ts');
      return ({ shell }) => topicsCommand(shell);
    },
  },
  config: {
    description: 'Check the configuration of a component',
    async load() {
      const { configCommand } = await import('../config/command.ts');
      return (parts) => configCommand(parts.shell, counterpartsFor(parts));
    },
  },
  register: {
    description: 'Register the integration type of a service at the platform',
    async load() {
      const { registerCommand } = await import('../register/command.ts');
      return ({ shell }) => registerCommand(shell);
    },
  },
  schedules: {
    description: 'Print when the pull actions run next, and which process starts them',
    async load() {
      const { schedulesCommand } = await import('../schedules/command.ts');
      return ({ shell, openers: { openKv } }) => schedulesCommand({ shell, openKv });
    },
  },
  run: {
    description: 'Run an action of an integration now, and print its result',
    async load() {
      const [{ runCommand }, partsOf] = await Promise.all([import('../run/command.ts'), forActions()]);
      return (parts) => runCommand(partsOf(parts));
    },
  },
  why: {
    description: 'Print whether the next scheduled run of an action starts, and if not, why and what to do',
    async load() {
      const [{ whyCommand }, partsOf] = await Promise.all([import('../why/command.ts'), forActions()]);
      return (parts) => whyCommand(partsOf(parts));
    },
  },
  state: {
    description: 'Print or change the state of actions, such as watermarks',
    async load() {
      const [{ stateCommand }, partsOf] = await Promise.all([import('../state/command.ts'), forActions()]);
      return (parts) => withStoresHelp(stateCommand(partsOf(parts)));
    },
  },
  operator: {
    description: 'Run the operator of PatrolSync outside of its cluster, by a kubeconfig',
    async load() {
      const { operatorCommand } = await import('../operator/command.ts');
      return ({ shell, process }) => operatorCommand(shell, process);
    },
  },
  doctor: {
    description: 'Check that bus, store, platform, sites and vendor are reachable and accept our credentials',
    async load() {
      const [{ doctorCommand }, partsOf] = await Promise.all([import('../doctor/command.ts'), forDoctor()]);
      return (parts) => doctorCommand(partsOf(parts));
    },
  },
  probe: {
    description: 'Send a marked test event through the whole chain and wait until the platform has accepted it',
    async load() {
      const [{ probeCommand }, partsOf] = await Promise.all([import('../probe/command.ts'), forDoctor()]);
      return (parts) => probeCommand({ ...partsOf(parts), openStores: parts.openers.openStores });
    },
  },
};

/** Names of all commands, in the order of the help. */
export const commandNames: readonly string[] = Object.keys(entries);

/** All commands: whole those that a call with these arguments may need. The environment is read when one is called. */
export const commands = async (shell: Shell, process: NodeJS.Process, args: readonly string[]): Promise<Command[]> => {
  const openers = storeOpeners(shell);
  const all = await loadCommands(entries, { shell, process, openers }, args);
  return all.map((command) => withIntegrations(command, shell, openers.openKv));
};
