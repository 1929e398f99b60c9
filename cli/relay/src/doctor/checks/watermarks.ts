import { pullProgress } from '@ranger-relay/action-runner';
import { parseState, stateKey } from '@ranger-relay/actions';
import type { KeyValue } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { humanSpan } from '@ranger-relay/terminal';
import type { PlatformFacts } from '../facts.ts';
import { ok, skipped, warning, type Check, type Finding } from '../finding.ts';

const name = 'watermarks';
const pulls = ['pull_observations', 'pull_events'] as const;

/** Whether a pull remembers a time of the site's future: it takes nothing until its next run puts that right. */
export const watermarksCheck = (
  facts: PlatformFacts,
  open: () => Promise<KeyValue>,
  clock: Clock,
  slug: string,
): Check => ({
  name,
  async ask() {
    if (!(await facts.hasToken())) return [skipped(name, 'needs a token of the platform')];
    const accounts = await facts.accounts(slug);
    const kv = await open();
    try {
      const found: Finding[] = [];
      for (const { integration } of accounts)
        for (const action of pulls) {
          const key = stateKey.of(integration.id, action);
          const { ahead_seconds: ahead } = pullProgress(parseState(key, await kv.state.get(key)), clock.now());
          if (ahead > 0)
            found.push(
              warning(
                name,
                `${action} of ${integration.name ?? integration.id} has one of the future: ${humanSpan(ahead)} ahead of the site`,
                'Its next run goes on from the present time of the site; look at the clocks of this machine and of the site.',
              ),
            );
        }
      return found.length > 0 ? found : [ok(name, 'none lies in the future')];
    } finally {
      await kv.close();
    }
  },
});
