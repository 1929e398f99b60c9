import { createInbound, inboundBase, readInboundConfig, type InboundOutcome } from '@ranger-relay/device';
import { entryOf } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import type { Account } from '../facts.ts';
import { failed, ok, type Finding } from '../finding.ts';

const pingMs = 15_000;

const pinged = (name: string, host: string, outcome: InboundOutcome): Finding =>
  outcome.kind === 'accepted'
    ? ok(name, `${host} takes the credentials`)
    : failed(name, outcome.error.message, entryOf(outcome.error.code).check);

/** Looks at the account at the vendor; with `ping` asks the vendor too, which causes an event at the device. */
export const vendorAccount =
  (http: Pick<HttpClient, 'request'>, ping: boolean) =>
  async ({ auth }: Account, name: string): Promise<Finding> => {
    const config = readInboundConfig(auth);
    if (typeof config === 'string')
      return failed(name, `${config} is missing`, 'Fill in the action `auth` of the integration in the portal.');
    const { host } = new URL(inboundBase(config.apiUrl));
    if (!ping) return ok(name, `complete, for ${host}; --ping asks the vendor, and causes an event at the device`);
    return pinged(name, host, await createInbound({ http, timeoutMs: pingMs }).pingback(config));
  };
