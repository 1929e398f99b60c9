import type { TopicAdmin, TopicState } from '@ranger-relay/bus/kafka';
import { RelayError } from '@ranger-relay/errors';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import { topicsCommand } from '../command.ts';

/** A topic that is as it should be. */
export const well = (name: string, more: Partial<TopicState> = {}): TopicState => ({
  name,
  partitions: 12,
  replicas: 3,
  minInsync: 2,
  isNarrow: false,
  isFixable: false,
  problems: [],
  notes: [],
  ...more,
});

/** A topic that is not there. */
export const gone = (name: string): TopicState =>
  well(name, { partitions: null, replicas: null, minInsync: null, isFixable: true, problems: ['does not exist'] });

/** Brokers that do not answer. */
export const away = (reason = 'nobody is there'): RelayError =>
  new RelayError('bus_unavailable', { details: { reason } });

/** A topic admin that answers as it is told, and the commands on it. */
export const harness = (parts: Partial<TopicAdmin> = {}, env: NodeJS.ProcessEnv = {}) => {
  const shell = recordingShell({ env });
  const counts = { opened: 0, closed: 0 };
  const admin: TopicAdmin = {
    check: async () => [],
    create: async () => [],
    update: async () => [],
    brokers: async () => ({ offsetsRetentionMs: 30 * 86_400_000, keepsOffsets: true }),
    close: async () => void (counts.closed += 1),
    ...parts,
  };
  const open = (): TopicAdmin => {
    counts.opened += 1;
    return admin;
  };
  const run = async (...args: string[]) => {
    const program = createProgram(shell, testAbout, [topicsCommand(shell, open)]);
    const code = await runProgram(shell, program, ['topics', ...args]);
    return {
      code: code === 0 ? shell.exitCode() : code,
      out: shell.lines.join('\n'),
      err: shell.errors.join('\n'),
    };
  };
  return { shell, run, counts };
};
