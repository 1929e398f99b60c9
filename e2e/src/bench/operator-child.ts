import { compose, parseOperatorConfig } from '@ranger-relay/operator';
import { connect } from '@ranger-relay/operator/testing';
import { createContext } from '@ranger-relay/runtime';

/** The operator as its own process: says when it knows all objects, then works until it is ended. */
const [server = ''] = process.argv.slice(2);
const context = createContext({ service: 'operator', level: 'error' });
const { clock, health, lifecycle } = context;
const client = await connect(server, context);
const config = parseOperatorConfig({ JOB_IMAGE: 'sync-tool:bench', PORT: '0', HOST: '127.0.0.1' });
await compose(context, { client, namespace: 'operators' }, config);

while (!health.ready().ok) await clock.sleep(10);
process.send?.({ ready: true });
process.once('SIGTERM', () => void lifecycle.stop().then(() => process.disconnect()));
