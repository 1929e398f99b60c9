import { createHttpTransport, createKubeApi } from '@ranger-relay/operator-kit';
import { compose, parseOperatorConfig } from '@ranger-relay/operator';
import { createContext } from '@ranger-relay/runtime';

/** The operator as its own process: says when it leads, then works until it is ended. */
const [server = ''] = process.argv.slice(2);
const context = createContext({ service: 'operator', level: 'error' });
const { clock, metrics, lifecycle } = context;
const access = {
  server,
  namespace: 'operators',
  credentials: () => Promise.resolve({ headers: {}, tls: {} }),
  refused: () => undefined,
};
const transport = createHttpTransport({ access, clock, userAgent: 'ranger-relay-operator/bench' });
lifecycle.onStop('connections', () => transport.close());
const api = createKubeApi({ transport, metrics });
const config = parseOperatorConfig({ JOB_IMAGE: 'sync-tool:bench', PORT: '0', HOST: '127.0.0.1' });
await compose(context, { api, namespace: 'operators', identity: 'bench' }, config);

const leads = async (): Promise<boolean> => /^relay_leader\{.*\} 1$/m.test(await metrics.render());
while (!(await leads())) await clock.sleep(100);
process.send?.({ leads: true });
process.once('SIGTERM', () => void lifecycle.stop().then(() => process.disconnect()));
