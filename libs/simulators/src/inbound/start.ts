import { deviceEvent, type DeviceEvent } from '../fleet/device-event.ts';
import type { Answer, SimRequest } from '../http/answer.ts';
import { startServer } from '../http/server.ts';
import { createSwitchBoard, type SwitchBoard } from '../switches/board.ts';
import { faultyAnswer, whenOf } from '../switches/faulty-answer.ts';
import { wait, type Clock } from '../time/clock.ts';
import { createAccepted } from './accepted.ts';
import type { InboundMessage } from './check-message.ts';
import { credentialsRefusal } from './credentials.ts';
import { takeMessages, type Account } from './take-messages.ts';

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

type Endpoint = 'message' | 'pingback';

const paths: Readonly<Record<string, Endpoint>> = {
  '/IPCInbound/V1/Messaging.svc/Message': 'message',
  '/IPCInbound/V1/Pingback.svc/PingbackRequest': 'pingback',
};

const pingback = ({ clock, devices, onPingback }: InboundOptions): Answer => {
  const now = clock.now();
  const change = { messageCode: 65, pingbackReceived: now, pingbackResponded: now };
  if (devices[0] !== undefined) onPingback?.(deviceEvent(devices[0], now, change));
  return { status: 200, body: '' };
};

/** Handles one call: a switch first, then the credentials, then the body. */
const answerer =
  (options: InboundOptions, switches: SwitchBoard, account: Account) =>
  async (request: SimRequest, endpoint: Endpoint): Promise<Answer> => {
    const { terminal, delayMs } = switches.take({ endpoint });
    if (delayMs > 0) await wait(options.clock, delayMs);
    if (terminal && whenOf(terminal) !== 'after') return faultyAnswer(terminal);
    const refusal = credentialsRefusal(request, options.username, options.password);
    if (refusal) return refusal;
    const body = await request.body();
    const good =
      endpoint === 'message' ? takeMessages(account, body, request.path, options.clock.now()) : pingback(options);
    return terminal && good.status === 200 ? faultyAnswer(terminal, good) : good;
  };

/** Starts the service on a real port. @throws the system's error when it cannot listen */
export const startVendorInbound = async (options: InboundOptions): Promise<InboundSimulator> => {
  const switches = createSwitchBoard();
  const accepted = createAccepted();
  const account = { devices: new Set(options.devices), accepted, acceptKnown: options.acceptKnown ?? false };
  const answer = answerer(options, switches, account);
  const calls: Record<string, number> = {};
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
    messages: accepted.messages,
    accepted: accepted.count,
    calls: () => ({ ...calls }),
    goDown: server.goDown,
    comeUp: server.comeUp,
    close: server.close,
  };
};
