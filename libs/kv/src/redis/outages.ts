import type { Logger } from '@ranger-relay/runtime';
import type { KvSpaceName } from '../port.ts';
import type { Fault } from './faults.ts';

/** What both spaces' connections report, said once. */
export interface Outages {
  /** The space does not work; its first fault and each new kind of one is logged. */
  begin(space: KvSpaceName, fault: Fault): void;
  /** The space works; logged when all of them do again. */
  end(space: KvSpaceName): void;
}

/** Writes a line when the store goes away, when it does so for another reason, and when it is back. */
export const createOutages = (log: Logger): Outages => {
  const failing = new Set<KvSpaceName>();
  const said = new Set<Fault['kind']>();
  return {
    begin(space, { kind, reason }) {
      failing.add(space);
      if (said.has(kind)) return;
      said.add(kind);
      const fields = { space, reason };
      if (kind === 'away' || kind === 'writes')
        log.warn(fields, 'the key-value store does not answer; events are sent without deduplication');
      else log.error(fields, 'the key-value store cannot be used; events are sent without deduplication');
    },
    end(space) {
      if (!failing.delete(space) || failing.size > 0) return;
      said.clear();
      log.info('the key-value store works again');
    },
  };
};
