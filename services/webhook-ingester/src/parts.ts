import type { Bus, DeadLetters } from '@ranger-relay/bus';
import type { ReadSettings } from '@ranger-relay/device';
import type { Context, RateLimitedLog } from '@ranger-relay/runtime';
import type { ClockGuard } from '@ranger-relay/service';
import type { Authenticate } from './auth/authenticate.ts';
import type { ByteBudget } from './body/budget.ts';
import type { ByteRate } from './body/byte-rate.ts';
import type { LoadIntegration } from './integration.ts';
import type { Notices } from './notices.ts';
import type { Turns } from './turns.ts';

/** Log lines at a bounded rate. Each kind has a bound of its own, so that a flood of one hides no other. */
export interface WebhookLogs {
  readonly refused: RateLimitedLog;
  readonly failed: RateLimitedLog;
  readonly sos: RateLimitedLog;
}

/** What handling a webhook request works with. */
export interface WebhookParts {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics' | 'tracing'>;
  readonly bus: Bus;
  /** Topic of SOS events. */
  readonly emergenciesTopic: string;
  readonly authenticate: Authenticate;
  readonly loadIntegration: LoadIntegration;
  readonly readSettings: (raw: unknown) => ReadSettings;
  readonly notices: Notices;
  readonly budget: ByteBudget;
  readonly byteRate: ByteRate;
  readonly turns: Turns;
  readonly clockGuard: Pick<ClockGuard, 'problem' | 'reference'>;
  readonly deadLetters: DeadLetters;
  readonly logs: WebhookLogs;
  /** Bytes of bodies that an integration may bring a minute. */
  readonly maxBytesPerMinute: number;
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;
  /** Status of the answer to a body that is no envelope. */
  readonly badBodyStatus: 200 | 422;
}
