import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

const program = `
import { registerHooks } from 'node:module';
let loaded = 0;
registerHooks({ load: (url, context, next) => { if (url.includes('/@opentelemetry/sdk-trace/')) loaded += 1; return next(url, context); } });
const { createContext } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
const loadedBy = async (traces) => {
  const { tracing, lifecycle } = createContext({ service: 's', level: 'silent', traces });
  await tracing.span('work', {}, async () => undefined);
  await lifecycle.stop();
  return loaded > 0;
};
process.stdout.write(JSON.stringify([await loadedBy({}), await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })]));
process.exit();
`;

test('a process that traces nothing loads nothing for it', async (t) => {
  const args = ['--conditions=@ranger-relay/source', '--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args);
  t.deepEqual(JSON.parse(stdout), [false, true]);
});
