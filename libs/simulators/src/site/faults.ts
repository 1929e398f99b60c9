import type { SimulatedResponse } from '../http/answer.ts';
import type { TerminalFault } from '../switches/fault-registry.ts';
import { type ConnectionFault, faultyAnswer, type SlowFault, type StatusFault, type When } from '../switches/fault.ts';
import { failed, htmlError } from './answers/envelope.ts';

type Moment = Exclude<When, 'marked' | 'late'>;

/** The unpleasant answers of a site (site contract, sections 1 and 9), to be set as faults with `path`, `method`, `skip` and `count`. */
export const siteFaults = {
  /** 429; how long to wait in seconds or as an HTTP date, or not said. */
  throttled: (retryAfter?: number | string): StatusFault => ({
    fault: 'status',
    status: 429,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  }),
  /** A gateway's HTML, before or after the site did its work. */
  gateway: (status: 502 | 503 | 504, when: Moment = 'before'): StatusFault => ({ fault: 'status', status, when }),
  /** A gateway that gives up on a request which the site carries out so many milliseconds later. */
  late: (ms: number, status: 502 | 503 | 504 = 504): StatusFault => ({
    fault: 'status',
    status,
    when: 'late',
    late_ms: ms,
  }),
  /** The site itself fails. */
  broken: { fault: 'status', status: 500 } satisfies StatusFault,
  /** Answers after so many milliseconds. */
  slow: (ms: number): SlowFault => ({ fault: 'slow', ms }),
  /** Never answers; the connection stays open. */
  stalled: (when: Moment = 'before'): ConnectionFault => ({ fault: 'hang', when }),
  /** The connection breaks before the write is applied, or after it. */
  cut: (when: Moment): ConnectionFault => ({ fault: 'reset', when }),
  /** Sends the caller to another address. */
  redirected: (location: string, status: 301 | 302 | 307 | 308 = 307): StatusFault => ({
    fault: 'status',
    status,
    headers: { location },
    body: '',
  }),
} as const;

const ownBody = (status: number): SimulatedResponse =>
  status >= 502 && status <= 504 ? htmlError(status, `${status} from the gateway`) : failed(status);

/** The answer that a fault makes; a status without a body of its own gets the site's, or a gateway's HTML. */
export const siteFaultAnswer = (fault: TerminalFault, good?: SimulatedResponse): SimulatedResponse => {
  if (fault.fault !== 'status' || fault.body !== undefined) return faultyAnswer(fault, good);
  const { body = '', headers } = ownBody(fault.status);
  return faultyAnswer({ ...fault, body, headers: { ...headers, ...fault.headers } }, good);
};
