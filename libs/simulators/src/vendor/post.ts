import { createClient, type Client, type Reply } from '../http/client.ts';
import type { VendorAuth, VendorOptions } from './options.ts';

/** Sends bodies to the customer. */
export interface Poster {
  send(body: string | Uint8Array, odd: { wrongToken: boolean; close: boolean }): Promise<Reply>;
  close(): void;
}

const authHeaders = (auth: VendorAuth, wrong: boolean): Record<string, string> => {
  if (auth === 'none') return {};
  const spoil = wrong ? 'x' : '';
  return 'header' in auth
    ? { 'x-outbound-auth-token': auth.header + spoil }
    : { authorization: `Bearer ${auth.bearer}${spoil}` };
};

/** Makes a poster with connections of its own. */
export const createPoster = (options: VendorOptions): Poster => {
  const client: Client = createClient(4);
  return {
    close: client.close,
    send: (body, { wrongToken, close }) =>
      client.send({
        method: 'POST',
        url: options.targetUrl,
        headers: { ...options.headers, ...authHeaders(options.auth, wrongToken), 'content-type': 'application/json' },
        body,
        timeoutMs: options.clientTimeoutMs ?? 30_000,
        closeBeforeAnswer: close,
      }),
  };
};

/** How many events an answer names as rejected. */
export const rejectedIn = (body: string): number => {
  try {
    const { rejected } = JSON.parse(body) as { rejected?: unknown };
    return Array.isArray(rejected) ? rejected.length : 0;
  } catch {
    return 0;
  }
};
