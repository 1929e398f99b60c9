import type { Bus } from '@ranger-relay/bus';
import type { ReadSettings } from '@ranger-relay/device';
import type { Context } from '@ranger-relay/runtime';
import type { Authenticate } from './auth/authenticate.ts';
import type { ByteBudget } from './body/budget.ts';
import type { LoadIntegration } from './integration.ts';
import type { Notices } from './notices.ts';

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
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;
  /** Status of the answer to a body that is no envelope. */
  readonly badBodyStatus: 200 | 422;
}
