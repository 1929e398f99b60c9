import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A server that only answers: its delay is the delay of the machine. */
export interface BareServer {
  readonly url: string;
  end(): void;
}

const source =
  "require('http').createServer((_, a) => a.end('{}')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })";

/** Starts one in a process of its own. */
export const startBareServer = async (): Promise<BareServer> => {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}`, end: () => void child.kill('SIGKILL') };
};
