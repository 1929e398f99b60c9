export default {
  files: ['{libs,services,cli}/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'scripts/**/*.test.ts'],
  extensions: { ts: 'module' },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  concurrency: 2,
  timeout: '60s',
};
