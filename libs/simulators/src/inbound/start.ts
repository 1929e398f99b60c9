import { timingSafeEqual } from 'node:crypto';
import { deviceEvent, type DeviceEvent } from '../fleet/device-event.ts';
import { json, type Answer, type SimRequest } from '../http/answer.ts';
import { startServer } from '../http/server.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/board.ts';
import { faultyAnswer, whenOf } from '../switches/faulty-answer.ts';
import { wait, type Clock } from '../time/clock.ts';
import { checkMessage, type InboundMessage } from './check-message.ts';
import { refusalBody, type Refusal } from './refusals.ts';

/** How to start the vendor's inbound service. */
export interface InboundOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly username: string;
  readonly password: string;
  /** Devices of the account; the first one answers pingbacks. */
  readonly devices: readonly string[];
  /** Of a call to known and unknown devices: accept the known ones' part, although the call is refused. Default false. */
  readonly acceptKnown?: boolean;
  /** Takes the code 65 event that a pingback causes, to be sent through the outbound feed. */
  readonly onPingback?: (event: DeviceEvent) => void;
}

/** The running inbound service. Its endpoints for switches are `message` and `pingback`. */
export interface InboundSimulator {
  readonly port: number;
  readonly url: string;
  readonly switches: SwitchBoard;
  /** Accepted texts, in order; a text for two devices is one message here. */
  messages(): readonly InboundMessage[];
  /** How many texts a device was sent. */
  accepted(imei: string): number;
  /** Calls by endpoint and status, as `message 200`. */
  calls(): Readonly<Record<string, number>>;
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

const paths: Readonly<Record<string, 'message' | 'pingback'>> = {
  '/IPCInbound/V1/Messaging.svc/Message': 'message',
  '/IPCInbound/V1/Pingback.svc/PingbackRequest': 'pingback',
};

const same = (a: string, b: string): boolean =>
  Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const wrongCredentials: Refusal = {
  status: 403,
  code: 3,
  message: 'Invalid username or password',
  description: '',
  imeis: null,
};

/** The refusal of a call by its credentials; the body has not been read then. */
const credentialsRefusal = (request: SimRequest, { username, password }: InboundOptions): Answer | undefined => {
  const token = /^Basic (.+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  if (token === undefined) return { status: 401, headers: { 'www-authenticate': 'Basic' }, body: '' };
  return same(Buffer.from(token, 'base64').toString(), `${username}:${password}`)
    ? undefined
    : json(403, refusalBody(wrongCredentials, request.path));
};

const messagesIn = (body: Buffer): readonly unknown[] | undefined => {
  try {
    const { Messages } = JSON.parse(body.toString()) as { Messages?: unknown };
    return Array.isArray(Messages) && Messages.length > 0 ? Messages : undefined;
  } catch {
    return undefined;
  }
};

/** Starts the service on a real port. @throws the system's error when it cannot listen */
export const startVendorInbound = async (options: InboundOptions): Promise<InboundSimulator> => {
  const { clock, devices, acceptKnown = false, onPingback } = options;
  const switches = createSwitchBoard();
  const known = new Set(devices);
  const taken: InboundMessage[] = [];
  const counts = new Map<string, number>();
  const calls: Record<string, number> = {};

  const accept = (message: InboundMessage): void => {
    taken.push(message);
    for (const imei of message.recipients) counts.set(imei, (counts.get(imei) ?? 0) + 1);
  };

  const acceptPart = (raw: unknown): void => {
    const recipients = (Reflect.get(raw as object, 'Recipients') as unknown[])
      .map(String)
      .filter((imei) => known.has(imei));
    const part = checkMessage(
      Object.assign({}, raw, { Recipients: recipients }),
      (imei) => known.has(imei),
      clock.now(),
    );
    if ('message' in part) accept(part.message);
  };

  const takeMessages = (body: Buffer, path: string): Answer => {
    const raw = messagesIn(body);
    if (!raw) return json(422, refusalBody({ ...wrongCredentials, code: 1, message: 'No messages' }, path));
    const checked = raw.map((one) => checkMessage(one, (imei) => known.has(imei), clock.now()));
    for (const [index, one] of checked.entries()) {
      if (!('refusal' in one)) continue;
      if (acceptKnown && one.refusal.imeis !== null && one.refusal.code === 4) acceptPart(raw[index]);
      return json(one.refusal.status, refusalBody(one.refusal, path));
    }
    for (const one of checked) if ('message' in one) accept(one.message);
    return json(200, { count: checked.length });
  };

  const pingback = (): Answer => {
    const now = clock.now();
    const change = { messageCode: 65, pingbackReceived: now, pingbackResponded: now };
    if (devices[0] !== undefined) onPingback?.(deviceEvent(devices[0], now, change));
    return { status: 200, body: '' };
  };

  const answer = async (request: SimRequest, endpoint: 'message' | 'pingback'): Promise<Answer> => {
    const refusal = credentialsRefusal(request, options);
    const { terminal, delayMs } = switches.take({ endpoint });
    if (delayMs > 0) await wait(clock, delayMs);
    if (terminal && whenOf(terminal) !== 'after') return faultyAnswer(terminal);
    if (refusal) return refusal;
    const body = await request.body();
    const good = endpoint === 'message' ? takeMessages(body, request.path) : pingback();
    return terminal && good.status === 200 ? faultyAnswer(terminal, good) : good;
  };

  const server = await startServer({
    host: options.host,
    port: options.port,
    async handle(request) {
      const endpoint = paths[request.path];
      if (endpoint === undefined || request.method !== 'POST') return { status: 404, body: '<html>Not Found</html>' };
      const given = await answer(request, endpoint);
      const name = `${endpoint} ${given.status}`;
      calls[name] = (calls[name] ?? 0) + 1;
      return given;
    },
  });

  return {
    port: server.port,
    url: server.url,
    switches,
    messages: () => taken,
    accepted: (imei) => counts.get(imei) ?? 0,
    calls: () => ({ ...calls }),
    goDown: server.goDown,
    comeUp: server.comeUp,
    close: server.close,
  };
};
