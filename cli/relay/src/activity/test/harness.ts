import { memoryBus } from '@ranger-relay/bus/testing';
import { topics, type ActivityEvent } from '@ranger-relay/contracts';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import { activityCommand } from '../command.ts';

export const integration = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';

/** An entry of second `n` of the year. */
export const entry = (n: number, payload: Record<string, unknown> = {}): ActivityEvent => ({
  event_id: `event-${n}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  schema_version: 'v1',
  event_type: 'IntegrationWebhookComplete',
  payload: { integration_id: integration, webhook_id: 'device_connector_webhook', ...payload },
});

/** A bus with the command on it. */
export const harness = () => {
  const shell = recordingShell();
  const name = topics.integrationEvents.name;
  const bus = memoryBus(shell.clock);
  let opened = 0;
  let closed = 0;
  const up = { running: true };
  const openBus = async () => {
    opened += 1;
    return { ...bus, close: async () => void (closed += 1) };
  };
  const program = createProgram(shell, testAbout, [
    activityCommand({ shell, openBus, activityTopic: () => name, sender: () => (up.running ? 'up' : 'nobody') }),
  ]);
  return {
    shell,
    bus,
    up,
    open: () => opened - closed,
    store: (...entries: unknown[]) =>
      bus.publish(
        name,
        entries.map((value, index) => ({
          key: `key-${index % 7}`,
          value: typeof value === 'string' ? value : JSON.stringify(value),
        })),
      ),
    run: (...args: string[]) => runProgram(shell, program, ['activity', ...args]),
    /** Resolves once so many lines are printed. */
    async printed(count: number): Promise<void> {
      while (shell.lines.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
};
