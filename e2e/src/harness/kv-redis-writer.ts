/** Writes `n` to `child.<n>` without end and prints each acknowledged `n`. The KV_ variables say where. */
import { openRedisKv, redisSettings } from '@ranger-relay/kv/redis';
import { createLogger, kvEnv, parseEnv, systemClock } from '@ranger-relay/runtime';

const kv = openRedisKv({
  settings: redisSettings(parseEnv(kvEnv, process.env)),
  clock: systemClock,
  log: createLogger({ service: 'writer', level: 'silent' }),
});
for (let n = 0; ; n++) {
  await kv.state.set(`child.${n}`, `${n}`);
  process.stdout.write(`${n}\n`);
}
