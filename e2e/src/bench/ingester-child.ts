import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from '@ranger-relay/runtime';
import { createClockGuard, watchBusWrites } from '@ranger-relay/service';
import { compose, ingesterEnv } from '@ranger-relay/webhook-ingester';
import { openGround } from './outside.ts';

/** The ingester alone, with the real platform client before a simulated platform. */
const [integration = ''] = process.argv.slice(2);
const token = 'bench-token';
const tokensFile = join(tmpdir(), `ranger-relay-bench-tokens-${process.pid}.json`);
writeFileSync(tokensFile, JSON.stringify({ [integration]: [token] }));

const ground = await openGround('webhook-ingester');
const { port } = await compose(
  ground.context,
  {
    bus: watchBusWrites(ground.context, ground.bus),
    kv: ground.kv,
    loadIntegration: ground.platform.integrations.loadIntegration,
    activity: ground.platform.activity,
    clockGuard: await createClockGuard(ground.context, ground),
  },
  parseEnv(ingesterEnv, {
    PORT: '0',
    HOST: '127.0.0.1',
    WEBHOOK_TOKENS_FILE: tokensFile,
    // One integration brings here what thousands do elsewhere.
    WEBHOOK_MAX_BYTES_PER_MINUTE: String(2 ** 40),
  }),
);
process.send?.({ url: `http://127.0.0.1:${port}/webhooks?integration_id=${integration}`, token });
