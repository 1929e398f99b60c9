import type { KeyValue } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { plural } from '@ranger-relay/terminal';
import { stateEntries } from '../../state/entries.ts';
import type { PlatformFacts } from '../facts.ts';
import { ok, skipped, warning, type Check } from '../finding.ts';

const name = 'watermarks';
/** Clocks of sites may be ahead of ours by so much, ms. */
const aheadMs = 600_000;

/** Whether a pull remembers a time of the future: it takes nothing until then. */
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
      let looked = 0;
      const found = [];
      for (const { integration } of accounts)
        for (const { action, source, as_of: at } of await stateEntries(kv.state, integration.id)) {
          looked += 1;
          if (at !== null && Date.parse(at) > clock.now() + aheadMs)
            found.push(
              warning(
                name,
                `${action} of ${integration.name ?? integration.id} has one of the future: ${at} (${source})`,
                'Look at the clocks of this machine and of the site, then set it back with `ranger-relay state rollback`.',
              ),
            );
        }
      return found.length > 0 ? found : [ok(name, `${plural(looked, 'state')} without a time of the future`)];
    } finally {
      await kv.close();
    }
  },
});
