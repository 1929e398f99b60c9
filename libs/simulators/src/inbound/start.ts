import { deviceEvent, type DeviceEvent } from '../fleet/device-event.ts';
import { bodyJson, type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import { type Listen, startServer } from '../http/server.ts';
import { isObject } from '../json.ts';
import { createSwitchBoard, struckBy, type SwitchBoard } from '../switches/fault-registry.ts';
import { faultyAnswer, whenOf } from '../switches/fault.ts';
import type { Clock } from '../time/clock.ts';
import { type InboundMessage, checkMessage, type Refusal, refusalBody, unprocessable } from './check-message.ts';

/** The texts that the vendor took over to send to devices. */
export interface Accepted {
  add(message: InboundMessage): void;
  /** In order; a text for two devices is one message here. */
  messages(): readonly InboundMessage[];
  /** How many texts a device was sent. */
  count(imei: string): number;
}

/** Makes an empty list. */
export const createAccepted = (): Accepted => {
  const taken: InboundMessage[] = [];
  const counts = new Map<string, number>();
  return {
    messages: () => taken,
    count: (imei) => counts.get(imei) ?? 0,
    add(message) {
      taken.push(message);
      for (const imei of message.recipients) counts.set(imei, (counts.get(imei) ?? 0) + 1);
    },
  };
};

const wrong: Refusal = {
  status: 403,
  code: 3,
  message: 'Invalid username or password',
  description: '',
  imeis: null,
};

/** The refusal of a call by its credentials: 401 without any, 403 with wrong ones. The body is not read for it. */
const credentialsRefusal = (request: SimRequest, username: string, password: string): SimulatedResponse | undefined => {
  const token = /^Basic (.+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  if (token === undefined) return { status: 401, headers: { 'www-authenticate': 'Basic' }, body: '' };
  return Buffer.from(token, 'base64').toString() === `${username}:${password}`
    ? undefined
    : json(403, refusalBody(wrong, request.path));
};

/** The account that texts are sent from. */
interface Account {
  readonly devices: ReadonlySet<string>;
  readonly accepted: Accepted;
}

/** Handles the body of a `Message` call at `now`: all texts are accepted, or the call is refused for the first bad one. */
const takeMessages = (account: Account, body: unknown, path: string, now: number): SimulatedResponse => {
  const raw = isObject(body) ? body['Messages'] : undefined;
  if (!Array.isArray(raw) || raw.length === 0)
    return json(422, refusalBody(unprocessable(1, 'No messages', 'Messages is a list'), path));
  const checked = raw.map((one) => checkMessage(one, (imei) => account.devices.has(imei), now));
  const bad = checked.find((one) => 'refusal' in one);
  if (bad) return json(bad.refusal.status, refusalBody(bad.refusal, path));
  for (const one of checked) if ('message' in one) account.accepted.add(one.message);
  return json(200, { count: checked.length });
};

/** How to start the vendor's inbound service. */
export interface InboundOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly username: string;
  readonly password: string;
  /** Devices of the account; the first one answers pingbacks. */
  readonly devices: readonly string[];
  /** Accepts the code 65 event that a pingback causes, for the outbound feed. */
  readonly onPingback?: (event: DeviceEvent) => void;
  /** Opens the port; default: a real one. */
  readonly listen?: Listen;
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

type Endpoint = 'message' | 'pingback';

const paths: Readonly<Record<string, Endpoint>> = {
  '/IPCInbound/V1/Messaging.svc/Message': 'message',
  '/IPCInbound/V1/Pingback.svc/PingbackRequest': 'pingback',
};

const pingback = ({ clock, devices, onPingback }: InboundOptions): SimulatedResponse => {
  const now = clock.now();
  const change = { messageCode: 65, pingbackReceived: now, pingbackResponded: now };
  if (devices[0] !== undefined) onPingback?.(deviceEvent(devices[0], now, change));
  return { status: 200, body: '' };
};

/** Handles one call: a switch first, then the credentials, then the body. */
const answerer =
  (options: InboundOptions, switches: SwitchBoard, account: Account) =>
  async (request: SimRequest, endpoint: Endpoint): Promise<SimulatedResponse> => {
    const terminal = await struckBy(switches, options.clock, { endpoint });
    if (terminal && whenOf(terminal) !== 'after') return faultyAnswer(terminal);
    const refusal = credentialsRefusal(request, options.username, options.password);
    if (refusal) return refusal;
    const body = await bodyJson(request);
    const good =
      endpoint === 'message' ? takeMessages(account, body, request.path, options.clock.now()) : pingback(options);
    return terminal && good.status === 200 ? faultyAnswer(terminal, good) : good;
  };

/** Starts the service. @throws the system's error when it cannot listen */
export const startVendorInbound = async (options: InboundOptions): Promise<InboundSimulator> => {
  const { listen = startServer } = options;
  const switches = createSwitchBoard();
  const accepted = createAccepted();
  const account = { devices: new Set(options.devices), accepted };
  const answer = answerer(options, switches, account);
  const calls: Record<string, number> = {};
  const server = await listen({
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
    messages: accepted.messages,
    accepted: accepted.count,
    calls: () => ({ ...calls }),
    goDown: server.goDown,
    comeUp: server.comeUp,
    close: server.close,
  };
};
