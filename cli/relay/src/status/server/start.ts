import { serve, type Context, type Serving } from '@ranger-relay/runtime';
import { createStatusApp, type StatusAppParts } from './app.ts';

/** Where the status server listens, and what it shows. */
export interface StatusServerOptions extends Omit<StatusAppParts, 'context'> {
  readonly context: Pick<Context, 'log' | 'health' | 'metrics' | 'clock' | 'lifecycle'>;
  /** 127.0.0.1 unless a test says otherwise: what is shown is for this machine alone. */
  readonly host?: string;
  readonly port: number;
}

/** Starts the status server; it ends with the process. @throws RelayError `config_invalid` naming STATUS_PORT */
export const startStatusServer = async (options: StatusServerOptions): Promise<Serving> => {
  const { context, host = '127.0.0.1', port } = options;
  const { clock, lifecycle } = context;
  const serving = await serve(createStatusApp(options), { host, port, portVariable: 'STATUS_PORT', clock });
  lifecycle.onStop('status server', () => serving.close(1_000));
  return serving;
};
