export default {
  files: [
    '{libs,services,cli}/*/src/**/*.test.ts',
    'cli/*/bin/**/*.test.mjs',
    'scripts/**/*.test.mjs',
    'e2e/kubernetes/**/*.test.ts',
  ],
  extensions: { ts: 'module', mjs: true },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  concurrency: 2,
  timeout: '60s',
};
