import { createContext } from '../context.ts';
import { endSignal, unexpectedFailure } from '../process.ts';

/** A service that does nothing but log; it tells over the channel how it is, and ends in good order with code 7. */
const context = createContext({ service: 'supervised', level: 'info' });
const ended = endSignal(process);
const failed = unexpectedFailure(process, context.log, () => false);
const timer = setInterval(() => {
  for (let i = 0; i < 20; i += 1) context.log.info({ text: 'x'.repeat(1_000) }, 'working');
  process.stderr.write('a warning of the runtime\n');
}, 5);
let turns = 0;
const turning = setInterval(() => (turns += 1), 5);
process.on('message', () => process.send?.({ turns, cpu: process.cpuUsage(), memory: process.memoryUsage().rss }));
process.send?.('started');

const { code, why } = await Promise.race([ended, failed]);
context.log.info({ why }, 'stopping');
clearInterval(timer);
clearInterval(turning);
process.exit(code === 0 ? 7 : code);
