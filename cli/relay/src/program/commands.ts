import type { Command } from 'commander';
import { loadCommands, type LazyCommand, type Shell } from '@ranger-relay/terminal';
import { withIntegrations } from './integrations.ts';
import { storeOpeners, withStoresHelp } from './open-stores.ts';
import type { StoreOpeners } from './stores.ts';

/** What commands are made with. */
interface Parts extends StoreOpeners {
  readonly shell: Shell;
  readonly process: NodeJS.Process;
}

/** Loaded when it is called: a start needs none of it. */
const counterpartsFor = (parts: Parts) => async (): Promise<boolean> =>
  (await import('../doctor/command.ts')).counterpartsOf(parts)();

/** The same with the help about bus and store. */
const withHelp =
  (make: (parts: Parts) => Command) =>
  (parts: Parts): Command =>
    withStoresHelp(make(parts));

const entries: Readonly<Record<string, LazyCommand<Parts>>> = {
  up: {
    description: 'Run the whole system in one process, with simulators while no platform is configured',
    async load() {
      const { upCommand } = await import('../up/command.ts');
      return (parts) => upCommand({ ...parts, counterparts: counterpartsFor(parts) });
    },
  },
  simulate: {
    description: 'Send the traffic of a fleet to an ingester and summarize the responses',
    load: async () => (await import('../simulate/command.ts')).simulateCommand,
  },
  status: {
    description: 'Print what is wrong, the SOS calls, and what was sent and waits',
    async load() {
      const [{ statusCommand }, { runningUp }] = await Promise.all([
        import('../status/command.ts'),
        import('../data-dir/index.ts'),
      ]);
      return withHelp((parts) => {
        const findUp = async () =>
          runningUp(parts.dataDir()).catch(async (error: unknown) => {
            const { whyNone } = await import('../up/neighbour.ts');
            throw await whyNone(error, parts.dataDir(), parts.shell.env);
          });
        return statusCommand({ ...parts, findUp });
      });
    },
  },
  sos: {
    description: 'Print every SOS of the last 30 days with its steps; exit with 1 while one is open',
    load: async () => withHelp((await import('../sos/command.ts')).sosCommand),
  },
  activity: {
    description: 'Print the activity log: one line or JSON object per event, in time order',
    load: async () => withHelp((await import('../activity/command.ts')).activityCommand),
  },
  dlq: {
    description: 'List, show, replay or drop dead letters (records that could not be processed)',
    load: async () => withHelp((await import('../dlq/command.ts')).dlqCommand),
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
    load: async () => (await import('../schedules/command.ts')).schedulesCommand,
  },
  run: {
    description: 'Run an action of an integration now, and print its result',
    load: async () => (await import('../run/command.ts')).runCommand,
  },
  why: {
    description: 'Print whether the next scheduled run of an action starts, and if not, why and what to do',
    load: async () => (await import('../why/command.ts')).whyCommand,
  },
  state: {
    description: 'Print or change the state of actions, such as watermarks',
    load: async () => withHelp((await import('../state/command.ts')).stateCommand),
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
    load: async () => (await import('../doctor/command.ts')).doctorCommand,
  },
  probe: {
    description: 'Send a marked test event through the whole chain and wait until the platform has accepted it',
    load: async () => (await import('../probe/command.ts')).probeCommand,
  },
};

/** Names of all commands, in the order of the help. */
export const commandNames: readonly string[] = Object.keys(entries);

/** All commands: whole those that a call with these arguments may need. The environment is read when one is called. */
export const commands = async (shell: Shell, process: NodeJS.Process, args: readonly string[]): Promise<Command[]> => {
  const openers = storeOpeners(shell);
  const all = await loadCommands(entries, { shell, process, ...openers }, args);
  return all.map((command) => withIntegrations(command, shell, openers.openKv));
};
