/** Those that hold services to times: beside another file they would measure that. */
export const timed = [
  'emergencies',
  'kafka-disk',
  'kafka-faults',
  'kills',
  'kv-redis',
  'hostile-memory',
  'redis-faults',
  'runner',
  'scaling',
].map((name) => `src/${name}.e2e.ts`);

/** Scenarios wait more than they work, so two files run at a time; those of a file share a world and follow each other. */
export default {
  files: ['src/**/*.e2e.ts', ...timed.map((file) => `!${file}`)],
  extensions: { ts: 'module' },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  concurrency: 2,
  timeout: '10m',
};
