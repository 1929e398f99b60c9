export default {
  files: ['src/**/*.e2e.ts'],
  extensions: { ts: 'module' },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  // The scenarios own whole machines' worth of ports, processes and disk: one after the other.
  concurrency: 1,
  serial: true,
  timeout: '10m',
};
