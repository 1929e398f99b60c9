import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { PlatformFacts } from '../facts.ts';
import { ok, skipped, warning, type Check } from '../finding.ts';

const name = 'config events';
const { name: topic, retentionMs } = topics.configEvents;
const days = retentionMs / 86_400_000;

/** Whether the platform tells of changed settings; without that they are noticed an hour later. */
export const configEventsCheck = (facts: PlatformFacts, open: () => Promise<Bus>, slugs: readonly string[]): Check => ({
  name,
  async ask(signal) {
    if (!(await facts.hasToken())) return [skipped(name, 'needs a token of the platform')];
    const integrations = await Promise.all(slugs.map(facts.integrations));
    if (integrations.flat().length === 0) return [skipped(name, 'there is no integration yet')];
    const bus = await open();
    try {
      for await (const record of bus.read({ topic, signal }))
        return [ok(name, `come; the first that is kept is of ${new Date(record.timestamp).toISOString()}`)];
      return [
        warning(
          name,
          `none has come in ${days} days`,
          `Let the platform publish to ${topic}, or call POST /config-events/: until then changed settings are noticed within an hour.`,
        ),
      ];
    } finally {
      await bus.close();
    }
  },
});
