import { isRelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { classifyAnswer, classifyFailure } from './classify.ts';
import { inboundBase, type InboundConfig } from './config.ts';
import type { InboundOutcome } from './outcome.ts';
import { type InboundText, messageBody } from './text.ts';

/** The vendor's inbound service, V1 (device contract, section 5). It never retries and never throws: every result is an outcome. */
export interface Inbound {
  /** Sends one text to one device. */
  sendText(config: InboundConfig, text: InboundText, recipient: string): Promise<InboundOutcome>;
  /** Checks the credentials. The vendor probably sends an event of code 65 to the webhook in response. */
  pingback(config: InboundConfig): Promise<InboundOutcome>;
}

/** The dependencies of the client. */
export interface InboundOptions {
  /** An HTTP client with connections to the vendor only. */
  readonly http: Pick<HttpClient, 'request'>;
  /** Time limit of a whole call, ms (PUSH_TIMEOUT_S). */
  readonly timeoutMs: number;
}

const connectMs = 10_000;
const maxBytes = 1_048_576;
const service = '/IPCInbound/V1';

const basic = ({ username, password }: InboundConfig): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Creates the client. */
export const createInbound = ({ http, timeoutMs }: InboundOptions): Inbound => {
  const post = async (config: InboundConfig, path: string, json: object, secret: string): Promise<InboundOutcome> => {
    let base: string;
    try {
      base = inboundBase(config.apiUrl);
    } catch (error) {
      if (!isRelayError(error)) throw error;
      return { kind: 'permanent', error, status: null, code: null, body: '', url: undefined };
    }
    const url = `${base}${service}${path}`;
    const authorization = basic(config);
    // Opens a new connection: a kept connection that the vendor has just closed would look like a lost response, and the text would be sent
    // twice.
    const headers = { authorization, connection: 'close' };
    const secrets = [secret, config.password, config.username, authorization.slice('Basic '.length)];
    try {
      const request = { method: 'POST', url, headers, json, connectMs, totalMs: timeoutMs, maxBytes } as const;
      return classifyAnswer(await http.request(request), { url, secrets });
    } catch (error) {
      return classifyFailure(error, url);
    }
  };

  return {
    sendText: (config, text, recipient) =>
      post(config, '/Messaging.svc/Message', messageBody(text, recipient), text.text),
    pingback: (config) => post(config, '/Pingback.svc/PingbackRequest', {}, ''),
  };
};
