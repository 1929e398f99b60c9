import { Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** Result of one request: an answer, or the reason why there is none. */
export interface Reply {
  /** Null when no whole answer came. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** `timeout`, `closed` (by ourselves) or the system's error code; null with a status. */
  readonly error: string | null;
}

/** One request to send. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Close the connection once the request is out, without waiting for the answer. */
  readonly closeBeforeAnswer?: boolean;
}

/** Sends requests over kept connections; follows no redirect, never rejects. */
export interface Client {
  send(call: Call): Promise<Reply>;
  close(): void;
}

const maxAnswerBytes = 4_194_304;

const none = (error: string): Reply => ({ status: null, headers: {}, body: '', error });

const collect = (answer: IncomingMessage, done: (reply: Reply) => void): void => {
  let body = '';
  answer.setEncoding('utf8');
  answer.on('data', (part: string) => {
    if (body.length < maxAnswerBytes) body += part;
  });
  answer.on('error', () => done(none('ECONNRESET')));
  answer.on('end', () => {
    const headers = answer.headers as Record<string, string | undefined>;
    done({ status: answer.statusCode ?? 0, headers, body, error: null });
  });
};

/** Makes a client with at most `connections` connections. */
export const createClient = (connections = 16): Client => {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { plain: new Agent(options), secure: new SecureAgent(options) };

  const send = (call: Call): Promise<Reply> =>
    new Promise((resolve) => {
      const url = new URL(call.url);
      const secure = url.protocol === 'https:';
      const body = call.body ?? '';
      const headers = { ...call.headers, 'content-length': String(Buffer.byteLength(body)) };
      const agent = secure ? agents.secure : agents.plain;
      const outgoing = (secure ? secureRequest : plainRequest)(url, { method: call.method, headers, agent });
      const limit = setTimeout(() => end('timeout'), call.timeoutMs ?? 30_000);
      const done = (reply: Reply): void => {
        clearTimeout(limit);
        resolve(reply);
      };
      const end = (reason: string): void => {
        done(none(reason));
        outgoing.destroy();
      };
      outgoing.on('response', (answer) => collect(answer, done));
      outgoing.on('error', (error: NodeJS.ErrnoException) => done(none(error.code ?? error.message)));
      if (call.closeBeforeAnswer === true) outgoing.on('finish', () => setImmediate(() => end('closed')));
      outgoing.end(body);
    });

  return {
    send,
    close() {
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
};
